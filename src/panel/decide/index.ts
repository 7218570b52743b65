export { countVotes, findCandidate } from './answers.ts';
export { decidePanel } from './decide-panel.ts';
export { openPanel } from './panel-step.ts';
