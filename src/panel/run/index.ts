/** Door of `panel/run`: several agents as one backend. */
export { createPanelBackend } from './panel-backend.ts';
export type { AgentSource, HandWay, PanelPayload, PanelSettings, RoundPlace, RoundSurroundings } from './panel-settings.ts';
