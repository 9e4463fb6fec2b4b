import { Console } from 'node:console'
import { runCommand } from '../../../src/main/cli/run-command.ts'
import { ASPY_ENTRY, type Finished } from './aspy-command.ts'

/** Variables that a command keeps of the tests' own: where programs and built code are. */
const KEPT = /^(?:PATH|NODE_COMPILE_CACHE|ASPY_BUNDLES|VITEST.*)$/

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a command in this process, where only its output matters: starting one costs more than most of them do. One at a
 * time, because output, arguments, environment, folder and exit code are those of the process.
 */
export function aspyHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  folder = process.cwd(),
): Promise<Finished> {
  const run = last.then(() => runHere(args, env, folder))
  last = run.catch(() => undefined)
  return run
}

async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  folder: string,
): Promise<Finished> {
  const { argv, exitCode } = process
  const from = process.cwd()
  const before = { ...process.env }
  const { console } = globalThis
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)]
  replaceEnvironment({
    ...Object.fromEntries(Object.entries(before).filter(([name]) => KEPT.test(name))),
    HOME: '/nonexistent',
    ...env,
  })
  process.argv = [process.execPath, ASPY_ENTRY, ...args]
  process.exitCode = undefined
  process.chdir(folder)
  globalThis.console = new Console(process.stdout, process.stderr)
  try {
    await runCommand()
    return { code: Number(process.exitCode ?? 0), signal: null, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    stdout.end()
    stderr.end()
    Object.assign(process, { argv, exitCode })
    globalThis.console = console
    process.chdir(from)
    replaceEnvironment(before)
  }
}

function replaceEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
}

/** Collects what is written to a stream of the process. */
function capture(stream: NodeJS.WriteStream) {
  const chunks: Buffer[] = []
  const write = stream.write
  stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
    chunks.push(Buffer.from(chunk as Uint8Array))
    const onWritten = rest.at(-1)
    if (typeof onWritten === 'function') process.nextTick(onWritten)
    return true
  }
  return { text: () => Buffer.concat(chunks).toString(), end: () => void (stream.write = write) }
}
