/**
 * Builds dist/: the command (one script), the two library entries and their types.
 *
 *   node scripts/build.mjs              everything
 *   node scripts/build.mjs --no-types   the code alone, in a fraction of the time
 *   node scripts/build.mjs --prepare    as npm calls it: without the development packages, a note instead of a failure
 *
 * Packages in `dependencies` and `optionalDependencies` stay imports; those in `devDependencies` are bundled, and their licences go to
 * dist/THIRD_PARTY_LICENSES.txt. Everything is built beside dist/ and swapped in at the end, so a failed build leaves the last good one.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPages } from './build-page.mjs';
import { checkPublishedTypes } from './published-types.mjs';
import { collectLicences } from './third-party.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = join(ROOT, 'src');
const { version, dependencies: required = {}, optionalDependencies = {} } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const dependencies = { ...required, ...optionalDependencies };
/** Of the library: what is loaded together is in one file; `topology` is needed without `check`. What is imported dynamically stays out. */
const CHUNKS = [
  { name: 'core', test: /[\\/]src[\\/]core[\\/]/ },
  { name: 'topology', test: /[\\/]src[\\/]topology[\\/](?!rules|validate-topology)/ },
  { name: 'check', test: /[\\/]src[\\/](?:config[\\/](?!foreign[\\/]migrate)|validation[\\/]check-config|topology[\\/])/ },
  { name: 'process', test: /[\\/]src[\\/](?:process|backends)[\\/]/ },
  { name: 'views', test: /[\\/]src[\\/]views[\\/](?!graph)/ },
  // What every run asks of the sandbox, without the sandbox; what the sandbox asks of probes, without their model server, which brings all of HTTP.
  { name: 'attach-emit', test: /[\\/]src[\\/]sandbox[\\/]attach-emit\.ts$/ },
  { name: 'probe-script', test: /[\\/]src[\\/]mock-model[\\/]probe-script\.ts$/ },
];
/** The mock model server and what is known of each agent CLI are entries for the tests with real agent CLIs, which run on what is built. */
const ENTRIES = {
  index: 'src/index.ts',
  testing: 'src/testing/index.ts',
  'mock-model': 'src/mock-model/index.ts',
  'agent-clis': 'src/backends/index.ts',
};
/** A third less to read at the start; names stay, so that stack traces can be read. */
const WHITESPACE_ONLY = { compress: false, mangle: false, codegen: { removeWhitespace: true } };
/** commander loads `node:child_process` at once, for commands that are programs of their own; we have none. */
const WITHOUT_SUBPROGRAMS = {
  name: 'without-subprograms',
  resolveId: (id, importer) => (id === 'node:child_process' && /[\\/]commander[\\/]/.test(importer ?? '') ? '\0no-subprograms' : null),
  load: (id) => (id === '\0no-subprograms' ? 'export const spawn = undefined;' : null),
};
/**
 * Libraries that most calls do without, or that are larger than all of ours: each in a file of its own, in the form that can be required, found
 * as `#library/<name>` (`imports` in package.json).
 */
const LIBRARIES = {
  yaml: 'yaml',
  'json-schema': '@cfworker/json-schema',
  zod: 'zod',
  turndown: 'turndown',
  htmlparser2: 'htmlparser2',
  'mcp-client': '@modelcontextprotocol/sdk/client/index.js',
  'mcp-http': '@modelcontextprotocol/sdk/client/streamableHttp.js',
  'mcp-stdio': '@modelcontextprotocol/sdk/shared/stdio.js',
  'mcp-types': '@modelcontextprotocol/sdk/types.js',
  nats: '@nats-io/transport-node',
  'nats-jetstream': '@nats-io/jetstream',
  'nats-kv': '@nats-io/kv',
  'nats-obj': '@nats-io/obj',
};
const LIBRARIES_APART = {
  name: 'libraries-apart',
  resolveId: (id, _importer, { kind }) => {
    const found = kind === 'require-call' ? undefined : Object.entries(LIBRARIES).find(([, specifier]) => specifier === id);
    return found === undefined ? null : { id: `#library/${found[0]}`, external: true };
  },
};
const require = createRequire(import.meta.url);

/** What is built from these entries, however it is written. */
function toInput(input, bundleHash) {
  return {
    cwd: ROOT,
    input,
    platform: 'node',
    plugins: [WITHOUT_SUBPROGRAMS, LIBRARIES_APART],
    // Importing a module of ours does nothing by itself: what is not used of a front door is not loaded with it.
    treeshake: { moduleSideEffects: (id) => (id.startsWith(SOURCES) ? false : undefined) },
    external: Object.keys(dependencies).flatMap((name) => [name, new RegExp(`^${name}/`)]),
    transform: {
      target: 'node20',
      define: {
        RALPH_VERSION: JSON.stringify(version),
        RALPH_BUNDLE_HASH: JSON.stringify(bundleHash),
        RALPH_YAML_LIBRARY: JSON.stringify('#library/yaml'),
        RALPH_SCHEMA_LIBRARY: JSON.stringify('#library/json-schema'),
      },
    },
  };
}

async function bundle(outDir) {
  const { rolldown } = await import('rolldown');
  const [yaml, schema] = Object.values(OFTEN_NEEDED);
  const command = await bundleCommand(rolldown, outDir, { name: 'command', entry: 'src/cli/whole-command.ts', libraries: [yaml, schema] });
  const lean = await bundleCommand(rolldown, outDir, { name: 'lean', entry: 'src/cli/lean-command.ts', libraries: [yaml] });
  const view = await bundleCommand(rolldown, outDir, {
    name: 'view',
    entry: 'src/cli/view-command.ts',
    libraries: [yaml],
    plugins: [VIEW_APART],
  });
  const hash = createHash('sha256')
    .update(readFileSync(join(outDir, 'command.cjs')))
    .update(readFileSync(join(outDir, 'lean.cjs')))
    .update(readFileSync(join(outDir, 'view.cjs')))
    .digest('hex')
    .slice(0, 16);
  const start = await rolldown(toInput({ cli: 'src/cli/main.ts' }, hash));
  await start.write({ dir: outDir, format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false, minify: WHITESPACE_ONLY });
  await start.close();
  const build = await rolldown(toInput(ENTRIES, hash));
  const { output } = await build.write({
    dir: outDir,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { groups: CHUNKS },
    minify: WHITESPACE_ONLY,
  });
  await build.close();
  await bundleViews(rolldown, outDir);
  const pages = await buildPages(rolldown, ROOT, outDir);
  const libraries = await bundleLibraries(rolldown, outDir);
  const modules = [...output, ...libraries, ...command, ...lean, ...view, ...pages].flatMap((file) =>
    file.type === 'chunk' ? file.moduleIds : [],
  );
  writeFileSync(join(outDir, 'THIRD_PARTY_LICENSES.txt'), collectLicences(modules));
}

/** Compiled with the rest they cost less than by themselves: what is required apart is compiled at each call. By the constant that names each in the sources. */
const OFTEN_NEEDED = { RALPH_YAML_LIBRARY: 'yaml', RALPH_SCHEMA_LIBRARY: '@cfworker/json-schema' };

/** @param found gets the name of each that was bundled */
function bundleOftenNeeded(found) {
  return {
    name: 'often-needed',
    transform: {
      filter: { code: 'createRequire(import.meta.url)(' },
      handler: (code) =>
        code.replace(/createRequire\(import\.meta\.url\)\((\w+)\)/g, (call, constant) => {
          const name = OFTEN_NEEDED[constant];
          if (name !== undefined) found.add(name);
          return name === undefined ? call : `require('${name}')`;
        }),
    },
  };
}

/**
 * The view asks the configuration for one word, in the few projects that mention it, and a fleet where the process of its run is gone: they would be most of the bundle, and are
 * loaded when they are asked.
 */
const APART = { config: 'src/config/load-config.ts', elsewhere: 'src/fleet-runs/find-elsewhere.ts' };
const VIEW_APART = {
  name: 'view-apart',
  resolveId: (id) => {
    const found = Object.entries(APART).find(
      ([, file]) => id.endsWith(`/${basename(dirname(file))}/${basename(file)}`) || id === `./${basename(file)}`,
    );
    return found === undefined ? null : { id: `#library/${found[0]}`, external: true };
  },
};

/** Commands in one script, which can be kept compiled (src/cli/main.ts). */
async function bundleCommand(rolldown, outDir, { name, entry, libraries, plugins = [] }) {
  const input = toInput({ [name]: entry }, '');
  const bundled = new Set();
  const build = await rolldown({ ...input, plugins: [bundleOftenNeeded(bundled), ...plugins, ...input.plugins] });
  const { output } = await build.write({
    dir: outDir,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    codeSplitting: false,
    minify: WHITESPACE_ONLY,
  });
  await build.close();
  requireSame('libraries that the command bundles', [...bundled], libraries);
  rewrite(join(outDir, `${name}.cjs`), (source) => escapeNonAscii(toScript(loadOnUse(source, output[0]), output[0])));
  return output;
}

function rewrite(file, change) {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

/** The build fails where code is not written as the rewriting of it expects, rather than leave some of it as it is. */
function requireSame(what, found, expected) {
  const [left, right] = [found, expected].map((names) => [...new Set(names)].sort().join(', '));
  if (left !== right) throw new Error(`build: ${what}: found ${left || 'none'}, expected ${right || 'none'}`);
}

/**
 * A module that is bundled is loaded when it is first needed, what it imports from outside at the start: `node:http` and `node:crypto` alone
 * would cost a third of what a run may. They and the libraries are therefore loaded when something of them is first used.
 *
 * @param chunk what the bundler says of the file: each of its imports must be found
 */
function loadOnUse(source, chunk) {
  const late = new Map();
  const script = source.replace(
    /(?<=^|;)let ([\w$]+)=require\("([^"]+)"\);(?:\1=(__toESM)\(\1(,1)?\);)?/g,
    (line, name, from, isWrapped, mode = '') => {
      if (ALWAYS_LOADED.includes(from)) return line;
      late.set(name, from);
      return `let ${name}=loadOnUse(()=>${isWrapped ? `__toESM(require("${from}")${mode})` : `require("${from}")`});`;
    },
  );
  const expected = chunk.imports.filter((from) => !ALWAYS_LOADED.includes(from));
  requireSame('imports of the command', [...late.values()], expected);
  return `"use strict";const loadOnUse=(load)=>{let loaded;return{get module(){return loaded??=load()}}};${[...late.keys()].reduce(callOnUse, script)}`;
}

/** Wherever a member of the module is named, the module is asked for; nothing else may be done with its name. */
function callOnUse(script, name) {
  const uses = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])(?!=loadOnUse\\()(\\.)?`, 'g');
  return script.replace(uses, (_, dot) => {
    if (dot === undefined) throw new Error(`build: ${name} is used as a whole`);
    return `${name}.module.`;
  });
}

/** The engine has loaded them before the command begins, or every command uses them. */
const ALWAYS_LOADED = ['node:path', 'node:fs', 'node:url', 'node:util', 'node:os', 'node:buffer', 'node:module'];

/** As the engine itself wraps what is required. Code that was kept cannot import by itself (Node 20), so whoever runs it does. */
function toScript(source, chunk) {
  const named = [];
  const script = source.replace(/(?<![\w$.])import\((?:[`'"]([^`'"]+)[`'"]\))?/g, (call, name) => {
    // A name that is made at run time is a file of the project: a plugin.
    if (name !== undefined) named.push(name);
    return call.replace('import', 'ralphImport');
  });
  // What the file imports of itself is no import any more.
  const expected = chunk.dynamicImports.filter((name) => name !== chunk.fileName);
  requireSame('imports while the command runs', named, expected);
  return `(function (exports, require, module, __filename, ralphImport) {${script}\n})`;
}

/** A source of ASCII alone is read and compiled as bytes: half the memory, and no decoding. Only texts hold anything else. */
function escapeNonAscii(source) {
  return source.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** One file of its own: a browser loads it, and finds no module of Node in it. */
async function bundleViews(rolldown, outDir) {
  const build = await rolldown({ ...toInput({ views: 'src/replay/index.ts' }, ''), platform: 'browser', plugins: [], external: [] });
  const { output } = await build.write({
    dir: outDir,
    format: 'esm',
    entryFileNames: '[name].js',
    codeSplitting: false,
    minify: WHITESPACE_ONLY,
  });
  await build.close();
  requireSame('imports of ralph-hats/views', output[0].imports, []);
}

async function bundleLibraries(rolldown, outDir) {
  const build = await rolldown({ cwd: ROOT, input: LIBRARIES, platform: 'node', transform: { target: 'node20' } });
  const { output } = await build.write({
    dir: join(outDir, 'libraries'),
    format: 'cjs',
    exports: 'named',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    minify: WHITESPACE_ONLY,
  });
  await build.close();
  for (const { fileName } of output) rewrite(join(outDir, 'libraries', fileName), hideInnerDefaults);
  return [...output, ...(await bundleApart(rolldown, outDir))];
}

/** Each as a library of its own: see APART. */
async function bundleApart(rolldown, outDir) {
  const all = await Promise.all(
    Object.entries(APART).map(async ([name, file]) => {
      const build = await rolldown(toInput({ [name]: file }, ''));
      const { output } = await build.write({
        dir: join(outDir, 'libraries'),
        format: 'cjs',
        exports: 'named',
        entryFileNames: '[name].cjs',
        codeSplitting: false,
        minify: WHITESPACE_ONLY,
      });
      await build.close();
      return output;
    }),
  );
  return all.flat();
}

/**
 * Packages within a library that set `exports.default` would make publint, which looks at the text of a file, take the file itself for one whose
 * default import is not what it seems. Nobody imports a library by its default. Where this no longer finds one, `publint --strict` fails in the check.
 */
function hideInnerDefaults(source) {
  return source.replace(/\bexports\.default ?=(?!=)/g, 'exports[`default`]=');
}

async function emitTypes(outDir) {
  const tsc = join(require.resolve('typescript-7/package.json'), '..', 'bin', 'tsc');
  await run(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', join(outDir, 'types')]);
  checkPublishedTypes(join(outDir, 'types'), ['index.d.ts', 'testing/index.d.ts', 'replay/index.d.ts'], Object.keys(dependencies));
}

function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: 'inherit' });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${args[0]} ended with exit code ${code}`))));
  });
}

/** Resolves to false when the packages that the build needs are not there (`npm ci --omit=dev`). */
function canBuild() {
  try {
    require.resolve('rolldown');
    require.resolve('typescript');
    return true;
  } catch {
    return false;
  }
}

async function main(flags) {
  if (!canBuild()) {
    console.error('ralph: not built, the development packages are missing. Run `npm ci --include=dev`.');
    process.exitCode = flags.includes('--prepare') ? 0 : 1;
    return;
  }
  const fresh = join(ROOT, `dist.new-${process.pid}`);
  const old = join(ROOT, `dist.old-${process.pid}`);
  try {
    await Promise.all([bundle(fresh), ...(flags.includes('--no-types') ? [] : [emitTypes(fresh)])]);
    rmSync(old, { recursive: true, force: true });
    renameIfPresent(join(ROOT, 'dist'), old);
    renameSync(fresh, join(ROOT, 'dist'));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

function renameIfPresent(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

await main(process.argv.slice(2));
