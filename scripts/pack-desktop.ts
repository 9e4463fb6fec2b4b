import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { desktopClosure } from './desktop-closure.ts'
import { fetchNode } from './fetch-node.ts'

export interface PackOptions {
  readonly root: string
  /** Path of electron-builder. */
  readonly builder: string
  /** Additional arguments, such as targets and the output folder. */
  readonly args: readonly string[]
  /** Folder used instead of Electron's runtime. The package then lacks the runtime and cannot run. */
  readonly stubRuntime?: string
  /** Settings added to those of electron-builder.yml. */
  readonly config?: object
  readonly env?: NodeJS.ProcessEnv
  readonly onLine?: (line: string) => void
}

/** Runs electron-builder with electron-builder.yml, without files only the command line needs. Rejects on failure. */
export async function packDesktop(options: PackOptions): Promise<void> {
  const { root, args } = options
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'aspy-package-'))
  try {
    await stageCommand(root, folder, args)
    await pack(options, folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs electron-builder on what was staged in a folder. */
async function pack(options: PackOptions, folder: string): Promise<void> {
  const { root, builder, args, stubRuntime, config: added = {}, env = process.env, onLine } = options
  const { otherBundles, otherPackages } = desktopClosure(root)
  const config = join(folder, 'config.json')
  const left = [
    ...[...otherBundles].map((name) => `!out/main/${name}`),
    ...[...otherPackages].map((name) => `!**/node_modules/${name}/**`),
    `node_modules/better-sqlite3/prebuilds/${targetSystem(args)}-\${arch}.node`,
    `node_modules/better-sqlite3/lib/${targetSystem(args)}-\${arch}.js`,
  ]
  const extended = join(root, 'electron-builder.yml')
  writeFileSync(
    config,
    JSON.stringify({
      extends: extended,
      files: left,
      // node_modules within a folder is left out unless it is named.
      extraResources: ['', '/node_modules'].map((part) => ({
        from: join(folder, `\${arch}${part}`),
        to: `command${part}`,
      })),
      ...added,
      ...(stubRuntime === undefined ? {} : { electronDist: stubRuntime }),
    }),
  )
  const said: string[] = []
  const child = spawn(
    process.execPath,
    [builder, '--config', config, '--projectDir', root, '--publish', 'never', ...args],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...env, CI: '1' },
    },
  )
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said.push(text)
      for (const line of text.split('\n')) if (line.trim() !== '') onLine?.(line)
    })
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error(said.join('').trim().split('\n').slice(-12).join('\n'))
}

/** Folders of the npm package that `aspy` in the desktop package runs. */
const OF_COMMAND = ['bin', 'out/main', 'out/preload', 'out/renderer', 'resources/claude-plugin', 'resources/grafana']
const FILES_OF_COMMAND = ['package.json', 'LICENSE', 'THIRD_PARTY_NOTICES.md', 'resources/demo.jsonl.br']
const BINDING = 'node_modules/better-sqlite3'

/**
 * Writes what the package brings for its command into a folder for each processor: beside the archive, which only Electron
 * reads, the npm package, its one dependency for this system, and a Node, since the packed app is none.
 */
async function stageCommand(root: string, folder: string, args: readonly string[]): Promise<void> {
  const system = targetSystem(args)
  const named = ['x64', 'arm64'].filter((arch) => args.includes(`--${arch}`))
  for (const arch of named.length === 0 ? [process.arch] : named) {
    const staged = join(folder, arch)
    const take = (path: string) =>
      cpSync(join(root, path), join(staged, path), { recursive: true, filter: (file) => !file.endsWith('.map') })
    const binding = ['package.json', 'LICENSE', 'lib', `prebuilds/${system}-${arch}.node`]
    for (const path of [...OF_COMMAND, ...FILES_OF_COMMAND, ...binding.map((name) => join(BINDING, name))]) take(path)
    const node = await fetchNode(root, system, arch)
    cpSync(node, join(staged, basename(node)))
  }
}

/** Returns the system that is packed for. electron-builder's own ${platform} is the system that packs. */
function targetSystem(args: readonly string[]): string {
  if (args.includes('--mac')) return 'darwin'
  if (args.includes('--win')) return 'win32'
  return args.includes('--linux') ? 'linux' : process.platform
}

/** Start of the fuse state in Electron's executable (@electron/fuses): this text, a version and a length. */
const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
const FUSES = 9

/** Creates a stub of Electron's runtime on Linux for electron-builder. Its executable contains only fuses, all off. */
export function writeStubRuntime(folder: string): void {
  mkdirSync(join(folder, 'resources'), { recursive: true })
  const fuses = Buffer.concat([Buffer.from(FUSE_SENTINEL), Buffer.from([1, FUSES]), Buffer.from('0'.repeat(FUSES))])
  writeFileSync(
    join(folder, 'electron'),
    Buffer.concat([Buffer.from('a stub, not Electron\n'), fuses, Buffer.from('\n')]),
    {
      mode: 0o755,
    },
  )
  writeFileSync(join(folder, 'chrome-sandbox'), '', { mode: 0o755 })
  writeFileSync(join(folder, 'version'), '0.0.0-stub')
  for (const name of ['LICENSE', 'LICENSES.chromium.html']) writeFileSync(join(folder, name), '')
}
