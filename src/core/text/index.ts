/**
 * Door to `core/text`: what is done with text: near misses, lines that differ, durations, words of a shell, secrets, code fences. Total functions.
 */
export { createFenceTracker } from './code-fence.ts';
export { compareLines } from './compare-lines.ts';
export { toDurationText, toUsdText } from './duration.ts';
export { estimateTokens } from './estimate-tokens.ts';
export { maskControls, toSafeJson } from './mask-controls.ts';
export { countEdits, createNearMissFinder, findNearMiss, isOnlyNearMiss, type NearMissFinder } from './near-miss.ts';
export { toOneLine } from './one-line.ts';
export { findSecretArgs, isSecret, isSecretName, isSecretValue, type SecretValue } from './secrets.ts';
export { toMoveAway, toShellWord, toWayBack } from './shell-word.ts';
export { isFailureLine, pickTellingLines } from './telling-lines.ts';
