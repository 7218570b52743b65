/** Front door of `workspace/bundle`: a working tree on its way to another machine, and what was made of it on its way back. */
export { bringWork, checkOutWork, fetchBundle, packWork, type SentWork, writeWork } from './bundle.ts';
