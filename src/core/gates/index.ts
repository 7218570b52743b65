/** Door to `core/gates`: gates as data: what one is, what it showed, how many tests ran, which files count as tests. */
export { CHANGED_TESTS_MARK, findChangedTestsReason } from './changed-tests.ts';
export { classifyPath, isTestPath, PATH_CLASSES, type PathClass } from './classify-paths.ts';
export { countFailedTests, countRunTests } from './count-run-tests.ts';
export { type GateEvidence, type GateResult, type StartTestsResult, toResultName } from './gate-result.ts';
export {
  GATE_BASELINES,
  GATE_CHECKS,
  type GateBaseline,
  type GateCheck,
  type GateSpec,
  isRequiredGate,
  mayStayRed,
  toGateName,
} from './gate-spec.ts';
