/** Door to `turns/scopes`: what would hold each hat of a team, told before a run. */
export { describeScopes, type HatScope, type ScopeLayer, type ScopeReport, toProbeWarnings, toScopeWarnings } from './describe-scopes.ts';
