//! What is found in fleets that were made up.
mod answers;
mod made;
mod nothing;
mod power;
mod robust;
