/** Exit code of the bridge for a function that is not there. */
export const PYTHON_IMPORT_FAILED = 97;

/**
 * Calls a function of Python for each line that it reads, with the event as a dict, and prints what it returns as a line of JSON: a dict, a dataclass, or an
 * object with attributes. An exception ends it; the next question starts it again. What the function itself prints goes to standard error. Arguments: the
 * dotted path, then folders in which its module is looked for first.
 */
export const PYTHON_BRIDGE = `
import dataclasses, importlib, json, os, sys

def main():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    path, folders = sys.argv[1], sys.argv[2:]
    sys.path[:0] = [folder for folder in folders if folder not in sys.path]
    module, _, name = path.rpartition(".")
    try:
        call = getattr(importlib.import_module(module), name)
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
