/**
 * Front door of `doctor`: looks at the machine and at a folder and tells what is there, what is missing and what would be enforced. Nothing is changed; probes alone start agents, in
 * folders of their own. `check-native <- examine`; `probe-agent <- probe`.
 */
export type { DoctorCheck } from './check-native.ts';
export { type DoctorReport, examine, examineScopes } from './examine.ts';
export { type ProbeReport, type ProbesReport, probeAgents } from './probe.ts';
