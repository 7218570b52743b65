/** Front door of `testing`: runs that are written down as scenarios, played with scripted agents, and held against what is expected. */
export { assertScenario } from './assert-scenario.ts';
export { describeRun } from './describe-run.ts';
export type { Expectation, ExpectedEvent, ExpectedFile, ExpectedNotice, ExpectedRefusal, ExpectedTurn } from './expectation.ts';
export { loadScenario } from './load-scenario.ts';
export { runScenario, type ScenarioOptions } from './run-scenario.ts';
export type {
  EmitCall,
  EventLine,
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
export type { AgentCall, EventFacts, RefusalFacts, RunEndFacts, RunFacts, ScenarioResult, TurnFacts } from './scenario-result.ts';
export { defineScenarioSuite, type SuiteOptions, type TestRunner } from './scenario-suite.ts';
