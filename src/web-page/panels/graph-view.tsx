import type { GraphPicture, PictureArrow, PictureNode } from '../../wire/graph-picture.ts';
import type { RunFrame } from '../../wire/run-frame.ts';

interface GraphViewProps {
  readonly picture: GraphPicture | null;
  readonly frame: RunFrame;
}

const PAD = 14;

/** The flow of events with its counts. The layout is that of the whole run: nothing moves when another moment is looked at. */
export function GraphView({ picture, frame }: GraphViewProps) {
  const { graph } = frame;
  if (graph === null) return <p class="faint">The run has not begun.</p>;
  const working = new Set(frame.working.map(({ hat }) => hat));
  const turns = new Map(graph.nodes.map((node) => [node.id, node.turns ?? 0]));
  const counts = new Map(graph.edges.map((edge) => [edge.id, edge.count ?? 0]));
  const width = (picture?.width ?? 0) + 2 * PAD;
  const height = (picture?.height ?? 0) + 2 * PAD;
  return (
    <div class="graph">
      {picture === null ? (
        <p class="faint">Too large for a picture.</p>
      ) : (
        <svg viewBox={`0 0 ${width} ${height}`} style={{ maxWidth: `${width}px` }} aria-hidden="true" focusable="false">
          <g transform={`translate(${PAD} ${PAD})`}>
            {picture.arrows.map((arrow) => (
              <ArrowLine key={arrow.edges[0]} arrow={arrow} count={sum(arrow, counts)} />
            ))}
            {picture.nodes.map((node) => (
              <NodeBox key={node.id} node={node} turns={turns.get(node.id) ?? 0} isWorking={isAt(node, working)} />
            ))}
            {picture.arrows.map((arrow) => (
              <ArrowLabel key={arrow.edges[0]} arrow={arrow} count={sum(arrow, counts)} />
            ))}
          </g>
        </svg>
      )}
      <details>
        <summary>The flow as a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">from</th>
              <th scope="col">event</th>
              <th scope="col">to</th>
              <th scope="col">times</th>
            </tr>
          </thead>
          <tbody>
            {graph.edges.map((edge) => (
              <tr key={edge.id}>
                <td>{labelOf(frame, edge.from)}</td>
                <td>
                  {edge.topic}
                  {edge.isGated && ' (gated)'}
                </td>
                <td>{labelOf(frame, edge.to)}</td>
                <td>{edge.count ?? 0}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}

function labelOf({ graph }: RunFrame, id: string): string {
  return graph?.nodes.find((node) => node.id === id)?.label ?? id;
}

function isAt({ id, kind }: PictureNode, working: ReadonlySet<string>): boolean {
  return working.has(id.replace(/^hat:/, '')) || (kind === 'ralph' && working.has('ralph'));
}

function sum({ edges }: PictureArrow, counts: ReadonlyMap<string, number>): number {
  return edges.reduce((all, id) => all + (counts.get(id) ?? 0), 0);
}

/** The more often something went this way, the thicker; but never so thick that it hides anything. */
function ArrowLine({ arrow, count }: { readonly arrow: PictureArrow; readonly count: number }) {
  const style = `${arrow.isWrong ? ' wrong' : ''}${arrow.isFaint ? ' faint-line' : ''}${count > 0 ? ' used' : ''}`;
  return (
    <g>
      <path class={`line${style}`} d={arrow.line} stroke-width={1.3 + Math.min(3, Math.log2(1 + count))} />
      <path class={`tip${style}`} d={arrow.tip} />
    </g>
  );
}

function ArrowLabel({ arrow, count }: { readonly arrow: PictureArrow; readonly count: number }) {
  const { x, y, width, height } = arrow.label;
  return (
    <g class={count > 0 ? 'label used' : 'label'}>
      <rect class="plate" x={x} y={y} width={width} height={height} rx="5" />
      {arrow.lines.map(({ text, isGated }, index) => (
        <g key={text}>
          {isGated && <Shield x={x + 6} y={y + 6 + index * 17} />}
          <text x={x + (isGated ? 21 : 7)} y={y + 16 + index * 17}>
            {text}
          </text>
        </g>
      ))}
      {count > 0 && <Count x={x + width} y={y} count={count} />}
    </g>
  );
}

function NodeBox({ node, turns, isWorking }: { readonly node: PictureNode; readonly turns: number; readonly isWorking: boolean }) {
  const { x, y, width, height, kind, lines } = node;
  const top = y + (height - lines.length * 17) / 2 + 13;
  return (
    <g class={`node ${kind}${isWorking ? ' working' : ''}`}>
      <rect x={x} y={y} width={width} height={height} rx={kind === 'hat' ? 8 : Math.min(26, height / 2)} />
      {lines.map((line, index) => (
        <text key={line} class={index === 0 ? 'title' : 'detail'} x={x + width / 2} y={top + index * 17} text-anchor="middle">
          {index === 0 && isWorking ? `▶ ${line}` : line}
        </text>
      ))}
      {turns > 0 && <Count x={x + width} y={y} count={turns} />}
    </g>
  );
}

/** A gate is run before the event counts. */
function Shield({ x, y }: { readonly x: number; readonly y: number }) {
  return <path class="shield" d={`M${x + 5} ${y}l5 2v4c0 3-2 5-5 6c-3-1-5-3-5-6v-4z`} />;
}

/** A number at a corner. */
function Count({ x, y, count }: { readonly x: number; readonly y: number; readonly count: number }) {
  const text = `×${count}`;
  const width = text.length * 7 + 8;
  return (
    <g class="count-mark">
      <rect x={x - width + 8} y={y - 9} width={width} height={17} rx="8" />
      <text x={x - width / 2 + 8} y={y + 4} text-anchor="middle">
        {text}
      </text>
    </g>
  );
}
