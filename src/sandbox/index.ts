/** Front door of `sandbox`: what a profile means outside our own tools. */
export { canAttachEmit, listToolChecks, planEmitAttach } from './attach-emit.ts';
export { createOutfitter, hasView, type Outfit, type Outfitter, wantsConfinement } from './create-outfitter.ts';
export { findOsSandbox } from './find-bubblewrap.ts';
export type { OsSandbox, OsSandboxSearch } from './os-sandbox.ts';
export type { OutfitOrder } from './outfit-order.ts';
export { hasScopeFlags, planScope } from './plan-scope.ts';
export { hasVerdicts, readVerdict, writeVerdict } from './probe-store.ts';
export { judgeProbe, type ProbeResult, type ProbeVerdict } from './probe-verdict.ts';
export type { SandboxMode, SandboxSettings } from './sandbox-settings.ts';
export { closeScratch, type FolderFacts, openScratch, type ScratchFolders } from './scratch.ts';
export { sweepPrivate } from './sweep-private.ts';
export { predictViewKind, sweepViews } from './workspace-view.ts';
