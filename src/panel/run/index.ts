/** Door of `panel/run`: several agents as one backend. */
export { createPanelBackend } from './panel-backend.ts';
export type { AgentSource, AgentSurroundings, HandWay, PanelPayload, PanelSettings, RoundPlace } from './panel-settings.ts';
