/** Exit code of the bridge for a function that is not there. */
export const PYTHON_IMPORT_FAILED = 97;

/**
 * Calls a function of Python for each line that it reads, with the event as a dict, and prints what it returns as a line of JSON: a dict, a dataclass, or an
 * object with attributes. An exception ends it; the next question starts it again. What the function itself prints goes to standard error. Arguments: the
 * dotted path, then folders in which its module is looked for, one after the other, behind what Python itself has: an agent that can write into the last one
 * must not get its own files run in the place of others.
 */
export const PYTHON_BRIDGE = `
import sys
sys.path[:] = [folder for folder in sys.path if folder not in ("", ".")]
import dataclasses, importlib, json, os

def find(path, folders):
    module, _, name = path.rpartition(".")
    for folder in folders:
        if folder not in sys.path:
            sys.path.append(folder)
        try:
            return getattr(importlib.import_module(module), name)
        except ModuleNotFoundError as error:
            if folder == folders[-1] or not module.startswith(error.name or " "):
                raise

def main():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    path, folders = sys.argv[1], sys.argv[2:]
    try:
        call = find(path, folders)
    except (Exception, SystemExit) as error:
        print(f"{path} cannot be imported: {error!r}", file=sys.stderr)
        sys.exit(${PYTHON_IMPORT_FAILED})
    for line in open(0, encoding="utf-8", newline="\\n", closefd=False):
        answers.write(json.dumps(to_dict(call(json.loads(line)))) + "\\n")
        answers.flush()

def to_dict(answer):
    if hasattr(answer, "__await__"):
        import asyncio
        answer = asyncio.run(wait_for(answer))
    if dataclasses.is_dataclass(answer):
        answer = dataclasses.asdict(answer)
    elif answer is not None and not isinstance(answer, dict):
        answer = vars(answer)
    return {key: value for key, value in (answer or {}).items() if value is not None}

async def wait_for(answer):
    return await answer

main()
`;
