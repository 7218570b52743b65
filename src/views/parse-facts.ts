import { type CommitLine, isJsonObject, type Json, type JsonObject, PATH_CLASSES, type WorkState } from '../core/index.ts';
import type { ChangedFile, ChangeFacts, PackageFacts, RunFacts, WorkPlace } from './run-facts.ts';

const MAX_ITEMS = 2000;
const STATUSES: readonly ChangedFile['status'][] = ['added', 'changed', 'deleted', 'renamed'];

/** Facts that were written as JSON; `null` for anything else. Pure. */
export function parseFacts(json: Json | undefined): RunFacts | null {
  if (!isJsonObject(json) || typeof json['at'] !== 'number') return null;
  const packages = parsePackages(json['packages']);
  return { at: json['at'], changed: parseChanged(json['changed']), place: parsePlace(json['place']), ...(packages && { packages }) };
}

function parsePackages(json: Json | undefined): PackageFacts | null {
  if (!isJsonObject(json) || typeof json['count'] !== 'number') return null;
  return { count: json['count'], first: toTexts(json['first']), isWhole: json['isWhole'] !== false };
}

function parseChanged(json: Json | undefined): ChangeFacts | null {
  if (!isJsonObject(json) || !Array.isArray(json['files'])) return null;
  const { prefix } = json;
  const figures = ['count', 'binary', 'added', 'removed'].map((key) => toNumber(json[key]));
  const [count, binary, added, removed] = figures;
  if (count == null || binary == null || added == null || removed == null) return null;
  return {
    count,
    binary,
    added,
    removed,
    files: json['files'].slice(0, MAX_ITEMS).flatMap(parseFile),
    between: toTexts(json['between']),
    isWhole: json['isWhole'] !== false,
    prefix: typeof prefix === 'string' ? prefix : '',
  };
}

function parseFile(json: Json): readonly ChangedFile[] {
  if (!isJsonObject(json) || typeof json['path'] !== 'string') return [];
  const status = STATUSES.find((word) => word === json['status']);
  if (status === undefined) return [];
  return [
    {
      path: json['path'],
      from: toText(json['from']),
      status,
      added: toNumber(json['added']),
      removed: toNumber(json['removed']),
      isSubmodule: json['isSubmodule'] === true,
      class: PATH_CLASSES.find((name) => name === json['class']) ?? null,
      isAfterGreen: json['isAfterGreen'] === true,
    },
  ];
}

function parsePlace(json: Json | undefined): WorkPlace | null {
  if (!isJsonObject(json) || typeof json['folder'] !== 'string') return null;
  return {
    folder: json['folder'],
    isThere: json['isThere'] === true,
    worktree: toText(json['worktree']),
    baseBranch: toText(json['baseBranch']),
    state: parseState(json['state']),
    ...(typeof json['commitFailure'] === 'string' ? { commitFailure: json['commitFailure'] } : {}),
  };
}

function parseState(json: Json | undefined): WorkState | null {
  if (!isJsonObject(json) || !isJsonObject(json['uncommitted'])) return null;
  const { uncommitted, commits } = json;
  return {
    head: toText(json['head']),
    branch: toText(json['branch']),
    uncommitted: { count: toNumber(uncommitted['count']) ?? 0, first: toTexts(uncommitted['first']) },
    commits: isJsonObject(commits)
      ? { count: toNumber(commits['count']) ?? 0, newest: toItems(commits['newest']).flatMap(parseCommit) }
      : null,
  };
}

function parseCommit(json: JsonObject): readonly CommitLine[] {
  const { commit, subject } = json;
  return typeof commit === 'string' && typeof subject === 'string' ? [{ commit, subject }] : [];
}

function toItems(json: Json | undefined): readonly JsonObject[] {
  return Array.isArray(json) ? json.slice(0, MAX_ITEMS).filter(isJsonObject) : [];
}

function toTexts(json: Json | undefined): readonly string[] {
  return Array.isArray(json) ? json.slice(0, MAX_ITEMS).filter((item) => typeof item === 'string') : [];
}

function toText(json: Json | undefined): string | null {
  return typeof json === 'string' ? json : null;
}

function toNumber(json: Json | undefined): number | null {
  return typeof json === 'number' ? json : null;
}
