import { Option } from 'commander';
import { TOPIC_COMPLETE, toBlockedTopic } from '../../core/events/reserved.ts';
import { createFlowGraph } from '../../topology/graph/create-flow-graph.ts';
import { findPath, markPath, type PathEnd, toPathEnd } from '../../topology/graph/find-path.ts';
import { type FlowEdge, type FlowGraph, toEdgeText } from '../../topology/graph/flow-graph.ts';
import { createGraphFold } from '../../views/fold/fold-graph.ts';
import { wrapText } from '../../views/text/fact-rows.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import { addExamples } from '../args/help.ts';
import { addConfigOptions, type ConfigOptions } from '../args/options.ts';
import { createUsageError, suggestWord } from '../args/usage-error.ts';
import type { AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';
import { type DrawingFile, GRAPH_FORMATS, type GraphOutputFormat, renderGraph, toGraphFormat, writeDrawing } from '../team/drawing.ts';
import { loadTeam } from '../team/load-team.ts';
import { printProse } from '../terminal/print.ts';
import { OutputClosed, plainStyle, printLine } from '../terminal/terminal.ts';

interface GraphOptions extends ConfigOptions {
  readonly format?: string;
  readonly path?: string;
  readonly live?: string | true;
  readonly output?: string;
}

export const graphCommand: CliCommand = {
  declare: (command) => {
    addConfigOptions(command);
    command
      .addOption(new Option('--format <format>', 'unicode (default), mermaid, dot, svg, or json for programs').choices(GRAPH_FORMATS))
      .option('--path <from..to>', 'the shortest way between two hats or events, one hop per line; with --format: marked in the graph')
      .option('--live [run]', 'the team of a run, with how often each event went where; default: the newest run')
      .option('--output <file>', 'write to this file; its extension sets the format: .svg, .mmd, .dot, .json, .txt');
    addExamples(command, [
      ['ralph graph', 'the team of this folder, drawn in the terminal'],
      ['ralph graph --hats preset:feature --output team.svg', 'a picture for a README'],
      ['ralph graph --path planner..end', 'how the planner gets to the end'],
      ['ralph graph --live', 'where the events of the newest run went'],
    ]);
  },
  perform,
};

/** How wide a drawing in characters may be that goes to a file. */
const FILE_COLUMNS = 160;

const LISTED = 'Too wide to be drawn here, so it is listed.\nAs a picture: `ralph graph --output team.svg`';

async function perform(context: AppContext, call: CommandCall): Promise<number> {
  const options = call.options as GraphOptions;
  const format = toGraphFormat(options.format, options.output);
  if (options.output !== undefined && format === null) {
    throw createUsageError(
      `--output ${JSON.stringify(options.output.slice(0, 80))} does not say which format to write.`,
      'Give it an ending (.svg, .mmd, .dot, .json, .txt), or a --format.',
    );
  }
  const read = await readGraph(context, options);
  if (read === null) return 1;
  const { graph, filesRead } = read;
  const asked = options.path === undefined ? null : findAskedPath(graph, options.path);
  if (asked !== null && (asked.path === null || format === null)) return printPath(context, asked);
  const output = options.output === undefined ? null : { cwd: context.cwd, file: options.output, filesRead };
  return show(context, asked?.graph ?? graph, format ?? 'unicode', output);
}

async function show(context: AppContext, graph: FlowGraph, format: GraphOutputFormat, output: DrawingFile | null): Promise<number> {
  const { terminal } = context;
  const look = output === null ? { columns: terminal.columns(), style: terminal.style } : { columns: FILE_COLUMNS, style: plainStyle };
  const { text, isListed } = await renderGraph(graph, format, look);
  if (output !== null) {
    writeDrawing(output, text);
    terminal.err(`Written: ${toPlainLine(output.file, 200)}\n`);
    return 0;
  }
  if (terminal.isClosed()) throw new OutputClosed();
  terminal.out(text);
  if (format === 'unicode') for (const note of toGateNotes(graph)) printProse(terminal, note);
  if (isListed && terminal.isTty)
    for (const line of wrapText(LISTED, terminal.columns())) terminal.err(`${terminal.errStyle('faint', line)}\n`);
  return 0;
}

const MAX_NOTES = 8;

/** What a red gate makes of the events that it guards, and who gets that. */
function toGateNotes({ edges }: FlowGraph): readonly string[] {
  const gated = new Map(
    edges.filter((edge) => edge.isGated).map((edge) => [edge.topic, edge.kind === 'complete' ? TOPIC_COMPLETE : edge.topic]),
  );
  const notes = [...gated].map(([topic, guarded]) => {
    const shown = toPlainLine(topic, 60);
    const blocked = toPlainLine(toBlockedTopic(guarded), 60);
    return `◈ Where the gate before ${shown} is red: ${blocked}, with what the gate said, for who takes it, else for who published ${shown}.`;
  });
  return notes.length <= MAX_NOTES ? notes : [...notes.slice(0, MAX_NOTES), 'The others: `ralph trace TOPIC`.'];
}

/** A graph, and the absolute paths of the files that it was read from. */
interface ReadGraph {
  readonly graph: FlowGraph;
  readonly filesRead: ReadonlySet<string>;
}

/** The graph of a configuration or of a past run; `null` where the configuration cannot be read at all. */
async function readGraph(context: AppContext, options: GraphOptions): Promise<ReadGraph | null> {
  if (options.live !== undefined) {
    if (options.config !== undefined || options.hats !== undefined) {
      throw createUsageError('--live shows the team that the run had.', 'Leave -c and --hats out.');
    }
    const graph = await readLiveGraph(context, options.live === true ? undefined : options.live);
    return graph === null ? null : { graph, filesRead: new Set() };
  }
  const { topology, checked, filesRead } = loadTeam(context, options);
  return topology === null ? null : { graph: createFlowGraph(topology, checked.diagnostics), filesRead };
}

/**
 * The graph of a run, as it was declared when it began, with how often each event went where.
 *
 * @param run an id or the beginning of one; absent: the newest
 * @throws RalphError `no-runs`, `run-unknown`, `run-ambiguous`
 */
async function readLiveGraph({ cwd, env, loadApp }: AppContext, run: string | undefined): Promise<FlowGraph | null> {
  const app = await loadApp();
  const fold = createGraphFold();
  app.openRunReader(cwd, run, env).replay(fold.take);
  return fold.view();
}

/** A path that was asked for by `FROM..TO`. */
interface AskedPath {
  readonly from: string;
  readonly to: string;
  /** `null`: there is none. */
  readonly path: readonly FlowEdge[] | null;
  /** The names of the nodes that FROM leads to. */
  readonly reached: readonly string[];
  /** The graph with the path marked. */
  readonly graph: FlowGraph;
}

/** Finds the path between two hats or events. Throws a usage error for a name that the graph does not know. */
function findAskedPath(graph: FlowGraph, text: string): AskedPath {
  const [from = '', to = '', ...rest] = text.split('..');
  if (from === '' || to === '' || rest.length > 0) {
    throw createUsageError(
      `--path ${JSON.stringify(text.slice(0, 80))} cannot be read.`,
      'It is two hats or events with two dots between them: planner..end, build.task..deploy.done',
    );
  }
  const { path, reached } = findPath(graph, toEnd(graph, from), toEnd(graph, to));
  const names = reached.flatMap((id) => graph.nodes.find((node) => node.id === id)?.label ?? []);
  return { from, to, path, reached: names, graph: path === null ? graph : markPath(graph, path) };
}

function toEnd(graph: FlowGraph, word: string): PathEnd {
  const end = toPathEnd(graph, word);
  if (end !== null) return end;
  const known = [...graph.nodes.map((node) => node.label), ...new Set(graph.edges.map((edge) => edge.topic))];
  const near = suggestWord(word, known);
  const shown = JSON.stringify(word.slice(0, 80));
  throw createUsageError(
    `This team has neither a hat nor an event ${shown}${near === undefined ? '.' : `: did you mean ${near}?`}`,
    'ralph hats lists the hats with their events; start and end are known too.',
  );
}

/** Prints a path, a line per hop; where there is none, how far it gets. The result is the exit code. */
function printPath({ terminal }: AppContext, { from, to, path, reached, graph }: AskedPath): number {
  if (path === null) {
    const known =
      reached.length === 0
        ? 'nothing'
        : `${reached.slice(0, 12).join(', ')}${reached.length > 12 ? `, and ${reached.length - 12} more` : ''}`;
    terminal.err(`No path leads from ${from} to ${to}. What ${from} leads to: ${known}.\n`);
    return 1;
  }
  if (path.length === 0) terminal.err(`${from} and ${to} are the same.\n`);
  const label = (id: string): string => graph.nodes.find((node) => node.id === id)?.label ?? id;
  for (const edge of path) printLine(terminal, toPlainLine(`${label(edge.from)} ── ${toEdgeText(edge, '◈')} ──▶ ${label(edge.to)}`, 400));
  return 0;
}
