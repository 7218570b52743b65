/** Front door of `ports`: the interfaces between the loop and the world, with their contracts in words. */
export type { BackendEvent } from '../core/index.ts';
export type { Backend, RunningTurn, ToolServer, TurnLogs, TurnRequest, TurnResult, TurnScope } from './backend.ts';
export type { Clock } from './clock.ts';
export type { GateOrder, GateRunner } from './gate-runner.ts';
export type { Inbox, InboxBatch, SkippedLines } from './inbox.ts';
export type { Journal, JournalDamage, JournalEntry } from './journal.ts';
export type {
  AssistantMessage,
  AssistantPart,
  CacheMarks,
  FinishReason,
  Model,
  ModelDelta,
  ModelFailure,
  ModelFile,
  ModelMessage,
  ModelRequest,
  ModelStep,
  ModelTool,
  ToolAnswer,
  ToolCallPart,
  ToolMessage,
  UserMessage,
} from './model.ts';
export type { Backpressure, Isolation, Program, ViewedProgram, ViewMount } from './program.ts';
export type { Redaction, StreamRedactor } from './redaction.ts';
export type { TreeReader, TreeState } from './tree-reader.ts';
export type { TurnFolder, TurnStore } from './turn-store.ts';
export type { CheckpointResult, Workspace } from './workspace.ts';
