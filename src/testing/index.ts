/**
 * Front door of `testing`: scenarios written down as YAML or values, run with scripted agents, and compared with what is expected.
 * `scenario`, `run-facts`, `mismatch` <- `scripted-turn`, `scenario-folders`, `segment`, `check-events`, `check-turns` <- the other files <- `run-scenario`.
 */
export { assertScenario, describeRun, type ScenarioResult } from './check-scenario.ts';
export { loadScenario } from './load-scenario.ts';
export type { AgentCall, EventFacts, RefusalFacts, RunEndFacts, RunFacts, TurnFacts } from './run-facts.ts';
export { defineScenarioSuite, runScenario, type ScenarioOptions, type SuiteOptions, type TestRunner } from './run-scenario.ts';
export type {
  EmitCall,
  EventLine,
  Expectation,
  ExpectedEvent,
  ExpectedFile,
  ExpectedNotice,
  ExpectedRefusal,
  ExpectedTurn,
  FileContent,
  Files,
  Moment,
  ResumeStep,
  RunStep,
  Scenario,
  ScriptedTurn,
  Step,
  WrittenEvent,
} from './scenario.ts';
export type { ScenarioFleet } from './scenario-folders.ts';
