/** Door of `panel/run`: several agents as one backend. */
export { createLastWords } from './last-words.ts';
export { createPanelBackend } from './panel-backend.ts';
export type { AgentSource, AgentSurroundings, HandWay, PanelAgents, PanelPayload, PanelSettings, RoundPlace } from './panel-settings.ts';
