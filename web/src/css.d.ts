// The style sheet is taken out by the bundler.
declare module "*.css";
