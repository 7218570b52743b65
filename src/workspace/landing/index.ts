/** Door to `workspace/landing`: how the work of a run comes home: merged apart, tried there, conflicts settled, then moved onto the branch. */
export { type Landing, type MergePlace, type MergeWish, openLanding } from './landing.ts';
export type { MergeConflict } from './merge-apart.ts';
export { type BranchOffer, openOffer } from './offer-branch.ts';
