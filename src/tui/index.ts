/** Front door of `tui`: a run on a whole terminal. cells, input <- panels <- read-scene, press-key <- open-view */

export type { ViewTerminal } from './cells/screen.ts';
export { COLOURS, NO_COLOURS } from './cells/tones.ts';
export { openView, type View, type ViewOrder } from './open-view.ts';
