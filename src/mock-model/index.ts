/**
 * Front door of `mock-model`: a model server on loopback that answers by scripts, for probes and for the tests with real agent CLIs.
 * Files import in one direction: `wire-types`, `values` <- one file per wire format, `script` <- `start-model-server`, `probe-script`.
 */
export {
  PLANTED_MARK,
  PROBE_ATTEMPTS,
  PROBE_EVENT,
  PROBE_PROMPT,
  PROBE_TEST,
  type ProbeAttempt,
  toProbeScript,
  watchProbe,
} from './probe-script.ts';
export { fillArguments, SHELL_TOOLS, toShellCall } from './script.ts';
export { startModelServer } from './start-model-server.ts';
export { record, records, text } from './values.ts';
export type {
  Conversation,
  Dialect,
  Fault,
  Handler,
  HttpError,
  ModelServer,
  ModelServerOptions,
  OfferedTool,
  ReadyReply,
  RecordedRequest,
  Reply,
  ToolCall,
  Turn,
  WantedCall,
} from './wire-types.ts';
