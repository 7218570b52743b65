/**
 * Front door of `hooks`: what people have asked about every call of a tool, before and behind it, and what comes of the answers. A denial is a denial
 * whatever else was said; a hook that cannot be started denies, one that fails or takes too long allows and is told.
 */

export { createToolHooks } from './ask-hooks.ts';
export { createLifeHooks, type LifeHooks, type LifeRun } from './ask-life-hooks.ts';
export { createLoopHookAsker } from './ask-loop-hooks.ts';
export { createLifeWatch, type LifeMoment } from './life-moments.ts';
export { locateCall } from './locate-call.ts';
export { createResidentPrograms } from './resident-programs.ts';
export { findFileHash, runHandler } from './run-handler.ts';
export { type HookedCall, NO_HOOKS, type RequestedCall, type ToolHooks } from './tool-hooks.ts';
