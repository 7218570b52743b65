/**
 * Front door of `turns`: what an agent has for its turn: its environment and its `ralph`, what its hat may do, the sandbox around it, the native agent, the look at Ralph's own files
 * behind it; and what all that would enforce, told before a run. `hat-facts, scope-contract, scope-tools <- panel-scopes, open-scope-tools <- turn-scopes`; `hat-facts, agent-environment, scope-contract <- turn-agents`; `hat-facts <- describe-scopes`.
 */
export { toAgentEnvironment, writeAgentCommand } from './agent-environment.ts';
export { createGateHold } from './confine-gates.ts';
export { createNativeModel } from './create-native-model.ts';
export { findSpec, planFirstTurn, readScratchpad, toPromptOptions } from './hat-facts.ts';
export { findPrice } from './price.ts';
export { type TurnScopeSettings, toPrivateDir } from './scope-tools.ts';
export { keepTrustedState } from './trusted-files.ts';
export { createTurnAgents } from './turn-agents.ts';
export { createTurnScopes, loadEmitAttach } from './turn-scopes.ts';
