import { dirname, resolve } from 'node:path';
import { isTopic } from '../../core/events/topics.ts';
import type { EventContract, EventContracts } from '../../core/run/run-spec.ts';
import type { Finding } from '../../core/schema/finding.ts';
import { listSchemaFaults, type SchemaFault } from '../../core/schema/list-schema-faults.ts';
import type { Json } from '../../core/values/json.ts';
import { quote } from '../findings/diagnostics.ts';
import {
  createSourceFile,
  type Diagnostic,
  findPlace,
  isEmptyValue,
  type LocatedMap,
  type LocatedValue,
  type Path,
  readAt,
  toDiagnostic,
  toKeyPathText,
} from '../findings/located.ts';
import { toRecord } from '../keys/setting-values.ts';
import type { Declared } from '../keys/settings-table.ts';
import { placeFinding } from '../keys/value-finding.ts';
import { liesOutside, type ReadText, readTextFile, toShownPath } from '../layers/read-text-file.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { toJson } from '../yaml/to-json.ts';

/** `events:`, with what is wrong in it. */
export interface ReadContracts {
  /** By topic; a schema with an error is left out. */
  readonly contracts: EventContracts;
  readonly diagnostics: readonly Diagnostic[];
}

interface ContractRequest {
  /** Absolute; files are shown relative to it. */
  readonly cwd: string;
  readonly root: LocatedMap;
  readonly readText?: ReadText | undefined;
}

const MAX_BYTES = 200_000;
const TOPIC_FIX = 'It must be words of letters, digits, `_` and `-` with dots between them, such as `build.done`.';

/** Reads `events:` with the files that it names, and checks the schemas. */
export function readEventContracts(declared: Declared, request: ContractRequest): ReadContracts {
  const reader = new ContractReader(request);
  const contracts = Object.entries(declared.events ?? {}).flatMap(([topic, event]): (readonly [string, EventContract])[] => {
    if (!reader.checkTopic(topic)) return [];
    const schema = reader.readSchema(topic, event.schema_file);
    const description = event.description?.trim() ?? '';
    return [[topic, { ...(description === '' ? {} : { description }), ...(schema === undefined ? {} : { schema }) }]];
  });
  return { contracts: toRecord(contracts), diagnostics: reader.diagnostics };
}

class ContractReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly #request: ContractRequest;

  constructor(request: ContractRequest) {
    this.#request = request;
  }

  checkTopic(topic: string): boolean {
    if (isTopic(topic)) return true;
    this.#report(['events', topic], 'key', {
      code: 'topic-invalid',
      severity: 'error',
      message: `${quote(topic)} under \`events\` is not a topic${topic.includes('*') ? ': a pattern has no payload of its own' : ''}.`,
      why: 'A schema holds for the events of one topic; no event has this one.',
      fix: topic.includes('*') ? 'Write each topic out that is meant.' : TOPIC_FIX,
    });
    return false;
  }

  readSchema(topic: string, file: string | undefined): Json | undefined {
    const path = ['events', topic];
    const inline = readAt(this.#request.root, [...path, 'schema']);
    const isInline = inline !== undefined && !isEmptyValue(inline);
    if (isInline && file !== undefined) {
      this.#report([...path, 'schema_file'], 'key', TWO_SCHEMAS);
      return undefined;
    }
    if (isInline) return this.#checkSchema(inline, [...path, 'schema']);
    return file === undefined ? undefined : this.#readFile(file, [...path, 'schema_file']);
  }

  #readFile(name: string, path: Path): Json | undefined {
    const { root, cwd, readText = readTextFile } = this.#request;
    const { folder } = findPlace(root, path).file;
    const absolute = resolve(folder, name);
    const file = readText(absolute, MAX_BYTES);
    if (!file.ok) return this.#refuseFile(path, name, file.refused.message);
    if (file.value.trim() === '') return this.#refuseFile(path, name, 'it is empty');
    const source = createSourceFile(toShownPath(cwd, absolute), dirname(absolute), file.value);
    const parsed = parseYaml({ ...source, isForeign: liesOutside(absolute, [cwd, folder]) });
    this.diagnostics.push(...parsed.diagnostics);
    if (parsed.root === null) return parsed.diagnostics.length > 0 ? undefined : this.#refuseFile(path, name, 'it holds no schema');
    return this.#checkSchema(parsed.root, []);
  }

  #refuseFile(path: Path, name: string, message: string): undefined {
    this.#report(path, 'value', {
      code: 'schema-file',
      severity: 'error',
      message: `The schema in ${quote(name)} cannot be used: ${message}.`,
      why: 'Payloads could not be checked against it.',
      fix: 'Correct the path (relative to the configuration file), or write the schema under `schema:`.',
    });
  }

  /** The schema, where it has no error. `path` is where it stands in the configuration; empty for the schema of a file. */
  #checkSchema(value: LocatedValue, path: Path): Json | undefined {
    const schema = toJson(value);
    const faults: readonly SchemaFault[] =
      schema === undefined
        ? [{ path: [], severity: 'error', message: 'is too large, or holds a number that JSON cannot express' }]
        : listSchemaFaults(schema);
    for (const fault of faults) {
      const place = findPlace(value, fault.path, readAt(value, fault.path)?.kind === 'scalar' ? 'value' : 'key');
      this.diagnostics.push(
        toDiagnostic(fault.path.length === 0 && path.length > 0 ? findPlace(this.#request.root, path) : place, toFinding(fault, path)),
      );
    }
    return faults.some(({ severity }) => severity === 'error') ? undefined : schema;
  }

  #report(path: Path, part: 'key' | 'value', finding: Finding): void {
    this.diagnostics.push(placeFinding(this.#request.root, path, finding, part));
  }
}

const TWO_SCHEMAS = {
  code: 'schema-file',
  severity: 'error',
  message: 'A topic has either `schema` or `schema_file`, not both.',
  why: 'It is not clear which of the two a payload is checked against.',
  fix: 'Remove one of them.',
} as const satisfies Finding;

function toFinding({ path, severity, message }: SchemaFault, above: Path): Finding {
  const where = toKeyPathText([...above, ...path]);
  return {
    code: 'schema-invalid',
    severity,
    message: `${where === '' ? 'The schema' : `\`${where}\``} ${message}${message.endsWith('?') ? '' : '.'}`,
    why: message.includes('does nothing')
      ? 'It looks as if it held payloads back, and does not.'
      : 'No payload can be checked against such a schema.',
    fix: 'Write it as JSON Schema (2020-12) says, such as:\n\nevents:\n  build.done:\n    schema:\n      type: object\n      required: [files]\n      properties:\n        files: {type: integer, minimum: 1}',
  };
}

/** The instructions of Ralph and the hats: their own words and those of their file; empty where there are none. */
export interface Instructions {
  readonly ralph: string;
  readonly hats: Readonly<Record<string, string>>;
  readonly diagnostics: readonly Diagnostic[];
}

interface Written {
  readonly instructions?: string;
  readonly instructions_file?: string;
}

const MAX_INSTRUCTIONS_BYTES = 1_000_000;

/** Reads all `instructions_file`s, each relative to the folder of the configuration file that names it. */
export function readInstructions(declared: Declared, root: LocatedMap, readText: ReadText = readTextFile): Instructions {
  const diagnostics: Diagnostic[] = [];
  const read = (written: Written, path: Path): string => {
    const file =
      written.instructions_file === undefined ? '' : readInstructionsFile(written.instructions_file, { root, path, diagnostics, readText });
    return [written.instructions ?? '', file]
      .map((text) => text.trimEnd())
      .filter((text) => text !== '')
      .join('\n\n');
  };
  const hats = toRecord(Object.entries(declared.hats ?? {}).map(([id, hat]) => [id, read(hat, ['hats', id])] as const));
  return { ralph: read(declared.ralph ?? {}, ['ralph']), hats, diagnostics };
}

interface InstructionsReading {
  readonly root: LocatedMap;
  readonly path: Path;
  readonly diagnostics: Diagnostic[];
  readonly readText: ReadText;
}

function readInstructionsFile(name: string, { root, path, diagnostics, readText }: InstructionsReading): string {
  const place = findPlace(root, [...path, 'instructions_file']);
  const file = readText(resolve(place.file.folder, name), MAX_INSTRUCTIONS_BYTES);
  if (file.ok && !file.value.includes('\0')) return file.value;
  const message = file.ok ? 'it is no text' : file.refused.message;
  const finding = {
    code: 'instructions-file',
    severity: 'error',
    message: `The instructions in ${quote(name)} cannot be used: ${message}.`,
    why: 'The agent would not know what it is for.',
    fix: 'Correct the path (relative to the configuration file), or write the text under `instructions:`.',
  } as const;
  diagnostics.push(placeFinding(root, [...path, 'instructions_file'], finding));
  return '';
}
