import { execFile } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../../..')

/** Exit code and output of a program. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Options for running a program. */
export interface Surroundings {
  readonly cwd: string
  /** Folders searched for programs before the system's. */
  readonly path: readonly string[]
  readonly home: string
  readonly env?: Readonly<Record<string, string>>
  /** What it reads on standard input. */
  readonly input?: string
}

/** The folders where npm and the shell are; none of them belongs to this project. */
export const systemPath = () =>
  (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))

/** What npm needs to reach its registry from here: its own configuration and cache, proxies and certificates. */
export function networkSettings(): Record<string, string> {
  const own = process.env['HOME'] ?? ''
  const kept = Object.entries(process.env).filter(([name]) => /_proxy$|^NODE_EXTRA_CA_CERTS$/i.test(name))
  return {
    npm_config_userconfig: process.env['npm_config_userconfig'] ?? join(own, '.npmrc'),
    npm_config_cache: process.env['npm_config_cache'] ?? join(own, '.npm'),
    npm_config_fetch_retries: '1',
    ...Object.fromEntries(kept.map(([name, value = '']) => [name, value])),
  }
}

/** Runs a program to its end, in an environment that holds nothing of the person who runs the tests. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { cwd, path, home, env = {}, input }: Surroundings,
): Promise<Ended> {
  const options = {
    cwd,
    maxBuffer: 64 << 20,
    env: { PATH: [...path, ...systemPath()].join(delimiter), HOME: home, ...networkSettings(), ...env },
  }
  try {
    const running = promisify(execFile)(command, [...args], options)
    if (input !== undefined) running.child.stdin?.end(input)
    return { code: 0, ...(await running) }
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string }
    if (typeof code !== 'number') throw error
    return { code, stdout, stderr }
  }
}

/** Packs the project as `npm publish` would and returns the path of the archive. Builds if the build is stale. */
export async function packProject(into: string, root = ROOT): Promise<string> {
  mkdirSync(into, { recursive: true })
  const path = [join(root, 'node_modules', '.bin')]
  const { code, stderr } = await runProgram('npm', ['pack', '--pack-destination', into], {
    cwd: root,
    path,
    home: into,
  })
  const packed = readdirSync(into).filter((name) => name.endsWith('.tgz'))
  if (code !== 0 || packed.length !== 1) throw new Error(`npm pack ended with ${code}: ${stderr}`)
  return join(into, packed[0] ?? '')
}

/** Returns the bytes of all files below a folder. A file with several names counts once; links count nothing. */
export function folderBytes(folder: string): number {
  const seen = new Set<number>()
  let bytes = 0
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const { ino, size, nlink, isFile } = statOf(join(folder, name))
    if (!isFile || (nlink > 1 && seen.has(ino))) continue
    seen.add(ino)
    bytes += size
  }
  return bytes
}

function statOf(path: string) {
  const stat = lstatSync(path)
  return { ino: stat.ino, size: stat.size, nlink: stat.nlink, isFile: stat.isFile() }
}
