export { findCandidate } from './answers.ts';
export { decidePanel, openPanel } from './decide-panel.ts';
export { countVotes } from './elect.ts';
