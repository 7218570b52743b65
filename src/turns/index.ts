/**
 * Front door of `turns`: what an agent has for its turn: its environment and its `ralph`, what its hat may do, the sandbox around it, the native agent, and the look at Ralph's
 * own files behind it. `hat-facts, agent-environment <- turn-scopes <- turn-agents`.
 */

export { toAgentEnvironment, writeAgentCommand } from './agent-environment.ts';
export { createGateHold } from './confine-gates.ts';
export { createNativeModel } from './create-native-backend.ts';
export { attachEmit } from './emit-attach.ts';
export { hasEmitTool, planFirstTurn, readScratchpad, toPromptSettings } from './hat-facts.ts';
export { findPrice } from './prices.ts';
export { keepTrustedFiles, keepTrustedLink } from './trusted-files.ts';
export { createTurnAgents } from './turn-agents.ts';
export { createTurnScopes, type TurnScopeSettings, toPrivateDir } from './turn-scopes.ts';
