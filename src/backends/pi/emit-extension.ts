import type { EmitToolText } from '../scope-plan.ts';

/** An extension of pi that registers the tool `emit_event`. It calls `ralph emit`, which finds the turn in the environment. */
export function toEmitExtension({ description, inputSchema }: EmitToolText): string {
  const tool = { name: 'emit_event', label: 'Publish an event', description, parameters: inputSchema };
  return `// Publishes the events of a hat. Written by Ralph for one turn.
import { execFile } from 'node:child_process';

const TOOL = ${JSON.stringify(tool)};

function publish({ topic, payload = '', target }) {
  const isText = typeof payload === 'string';
  const words = ['--', String(topic), isText ? payload : JSON.stringify(payload)];
  const args = ['emit', ...(isText ? [] : ['--json']), ...(target ? ['--target', String(target)] : []), ...words];
  return new Promise((resolve) => {
    execFile(process.env.RALPH_BIN ?? 'ralph', args, (error, stdout, stderr) => {
      resolve({ text: (error ? stderr || error.message : stdout).trim(), isError: error !== null });
    });
  });
}

export default (pi) => {
  pi.registerTool({
    ...TOOL,
    async execute(_id, params) {
      const { text, isError } = await publish(params ?? {});
      // What a tool throws is what its model reads as an error.
      if (isError) throw new Error(text);
      return { content: [{ type: 'text', text }], details: {} };
    },
  });
};
`;
}
