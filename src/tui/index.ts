/** Front door of `tui`: a run on a whole terminal. cells, input <- panels <- read-scene, press-key <- open-view */
export { COLOURS, NO_COLOURS } from './cells/tones.ts';
export { openView, type View, type ViewOrder, type ViewTerminal } from './open-view.ts';
