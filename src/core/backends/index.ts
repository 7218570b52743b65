/** Door to `core/backends`: agents as data: which there are, what one does while it works, what it consumes and what that costs. */
export type { BackendEvent } from './backend-event.ts';
export {
  AGENT_CLIS,
  BACKEND_TYPES,
  type BackendSpec,
  type BackendType,
  type CliType,
  DETECTED_BACKENDS,
  isAgentCli,
  NATIVE_PROVIDERS,
  type NativeProvider,
  type NativeSpec,
  toBackendLabel,
  toListedBackend,
  toPersonHelp,
  UNVERIFIED_BACKENDS,
} from './backend-spec.ts';
export { isCostUnknown } from './cost-reports.ts';
export { type EffortWay, findEffortWay } from './effort-way.ts';
export { findListedContext, findListPrice } from './list-prices.ts';
export { addUsage, UNKNOWN_USAGE, type Usage } from './usage.ts';
