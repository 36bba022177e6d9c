//! What readers of a diagnosis see, on diagnoses made by hand.
mod doctor;
mod events;
mod fix;
mod fixtures;
mod fleet;
mod formats;
mod hiccups;
mod hostile;
mod hostile_names;
mod html;
mod stall_page;
mod stalls;
mod terminal;
