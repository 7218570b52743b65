import { join } from 'node:path';
import { EXTERNAL, isTopic, type Json, parseJson, RalphError } from '../core/index.ts';
import { appendAgentLine, findRun, listRuns, nodeFileSystem, toRunPaths } from '../journal/index.ts';
import { compileTopology, isCompletionTopic, mayEnd, mayPublish, publishableBy, type Topology } from '../topology/index.ts';
import { readContract, toContractPath } from './contract-file.ts';
import { findLayout } from './layout.ts';
import { readRunFile } from './run-file.ts';
import { findHolder } from './run-lock.ts';

/** What `ralph emit` was asked. */
export interface EmitOrder {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly topic: string;
  readonly payload: string | undefined;
  /** The payload is JSON, not text. */
  readonly json: boolean;
  readonly target?: string;
}

/** What became of it. */
export interface EmitResult {
  readonly topic: string;
  readonly file: string;
  /** Who wrote it: the hat that is active, or `external`. */
  readonly source: string;
  /** The run that it is for, when it was called from outside of a turn and that run is not under way: it reads the event when it is resumed. */
  readonly waitsForResume: string | null;
}

/**
 * Appends an event to the agents' file, after checking it against the contract of the hat in whose turn it is called, so that an agent
 * that errs can correct itself at once. The loop checks again: this is a help, not the wall.
 *
 * @throws RalphError `emit-refused`, `emit-topic`, `emit-json`, `emit-no-run`
 */
export function emitEvent(order: EmitOrder): EmitResult {
  const payload = toPayload(order);
  const place = findPlace(order);
  check(order, place);
  const event = { topic: order.topic, payload, ts: Date.now() };
  appendAgentLine({ fs: nodeFileSystem, path: place.eventsFile }, order.target === undefined ? event : { ...event, target: order.target });
  return { topic: order.topic, file: place.eventsFile, source: place.hat, waitsForResume: place.waitsForResume };
}

function toPayload(order: EmitOrder): Json {
  if (!order.json) return order.payload ?? '';
  const value = parseJson(order.payload ?? '');
  if (value !== undefined) return value;
  throw new RalphError({
    code: 'emit-json',
    what: 'The payload is not valid JSON.',
    why: '--json says that it is.',
    fix: `Quote it for the shell, such as: ralph emit ${order.topic} '{"files": 3}' --json`,
  });
}

interface Place {
  readonly eventsFile: string;
  readonly hat: string;
  readonly topology: Topology | null;
  readonly waitsForResume: string | null;
}

/** Inside a turn the environment says where; outside it is the run that is under way, else the newest one. */
function findPlace({ env, cwd }: EmitOrder): Place {
  const { RALPH_EVENTS_FILE: eventsFile, RALPH_CONTRACT: contractFile, RALPH_HAT: hat } = env;
  if (eventsFile !== undefined && eventsFile !== '' && hat !== undefined && hat !== '') {
    return { eventsFile, hat, topology: contractFile === undefined ? null : toTopology(contractFile), waitsForResume: null };
  }
  const layout = findLayout(cwd);
  const state = { fs: nodeFileSystem, stateDir: layout.stateDir };
  const living = [...listRuns(state)].reverse().find((runId) => findHolder(layout, runId) !== null);
  const paths = toRunPaths(layout.stateDir, living ?? findRun(state, 'last'));
  const run = readRunFile(paths.settings);
  return {
    waitsForResume: living === undefined ? paths.runId : null,
    eventsFile: join(run.workspace, run.settings.prompts.eventsFile),
    hat: EXTERNAL,
    topology: toTopology(toContractPath(paths.folder)),
  };
}

function toTopology(contractFile: string): Topology | null {
  const contract = readContract(contractFile);
  return contract === null ? null : compileTopology(contract.spec);
}

function check(order: EmitOrder, { topology, hat }: Place): void {
  const { topic, target } = order;
  if (!isTopic(topic)) {
    throw new RalphError({
      code: 'emit-topic',
      what: `"${topic}" is not a topic.`,
      fix: 'A topic is words of letters, digits, _ and - joined by dots, such as build.done.',
    });
  }
  if (topology === null) return;
  if (isCompletionTopic(topology, topic)) return checkEnd(topology, hat, topic);
  if (!mayPublish(topology, hat, topic, target)) throw toRefusal(topology, hat, topic);
  if (target !== undefined && target !== 'ralph' && !topology.hatById.has(target)) {
    throw new RalphError({
      code: 'emit-refused',
      what: `There is no hat "${target}".`,
      fix: `Hats: ${[...topology.hatById.keys()].join(', ')}.`,
    });
  }
}

function checkEnd(topology: Topology, hat: string, topic: string): void {
  if (mayEnd(topology, hat)) return;
  throw new RalphError({
    code: 'emit-refused',
    what: `${hat} may not end the run, so ${topic} was not published.`,
    why: 'Only those who see the whole work may declare it complete.',
    fix: toAllowedText(topology, hat),
  });
}

function toRefusal(topology: Topology, hat: string, topic: string): RalphError {
  return new RalphError({
    code: 'emit-refused',
    what: `${hat} may not publish ${topic}; nothing was published.`,
    why: 'A hat publishes only the topics of its contract.',
    fix: toAllowedText(topology, hat),
  });
}

function toAllowedText(topology: Topology, hat: string): string {
  const allowed = publishableBy(topology, hat);
  return allowed.length === 0 ? 'This hat may publish nothing.' : `Allowed topics: ${allowed.join(', ')}.`;
}
