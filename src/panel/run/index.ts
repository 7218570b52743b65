/** Door of `panel/run`: several agents as one backend. */
export { createPanelBackend } from './panel-backend.ts';
export type { AgentSource, PanelPayload, PanelSettings } from './panel-settings.ts';
