/**
 * Front door of `planning`: a run that could be started or go on: everything read, checked and compiled, with what a person should know of it. Nothing is written and no agent is
 * started. `run-conditions <- plan-run <- plan-resume`.
 */
export { findFinalEnd, planResume, type ResumeOrder, type ResumePlan, toRaisedLimits } from './plan-resume.ts';
export { planStart, type RunPlan } from './plan-run.ts';
export { requireAgents, requireKnownCost } from './run-conditions.ts';
