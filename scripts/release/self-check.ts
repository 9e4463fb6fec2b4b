import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parse } from 'yaml'
import type { SelfCheck } from '../../src/main/electron/self-check.ts'
import { onDisplay } from './display.ts'
import { startAndStop } from './start-and-stop.ts'
import { query, ROOT, run, runStep, version } from './step.ts'

/** Time limit in ms: four checks, one minute each at most. */
const LIMIT_MS = 300_000

/** The fuses of electron-builder.yml in Electron's order. */
const FUSES = [
  'runAsNode',
  'enableCookieEncryption',
  'enableNodeOptionsEnvironmentVariable',
  'enableNodeCliInspectArguments',
  'enableEmbeddedAsarIntegrityValidation',
  'onlyLoadAppFromAsar',
  'loadBrowserProcessSpecificV8Snapshot',
  'grantFileProtocolExtraPrivileges',
]

/**
 * Starts the app in `out/packages` with `--self-check`, and compares what it says with what it was packed to be. Then starts
 * and stops an app by the command that the package brings.
 */
await runStep(async () => {
  const program = packedProgram()
  if (process.platform === 'linux') {
    const helper = join(dirname(program), 'chrome-sandbox')
    run('sudo', ['chown', 'root:root', helper])
    run('sudo', ['chmod', '4755', helper])
  }
  const temp = mkdtempSync(join(tmpdir(), 'aspy-self-check-result-'))
  try {
    const file = join(temp, 'result.json')
    const [command, ...args] = onDisplay(program, `--self-check=${file}`)
    const { status, error } = spawnSync(command, args, { stdio: 'inherit', timeout: LIMIT_MS })
    if (!existsSync(file)) throw new Error(`the packed app ended with ${error?.message ?? status} and said nothing`)
    const text = readFileSync(file, 'utf8')
    console.log(text)
    const faults = faultsOf(JSON.parse(text) as SelfCheck)
    if (faults.length > 0) throw new Error(`the packed app is not as it should be: ${faults.join('; ')}`)
    if (status !== 0) throw new Error(`the packed app found no fault, but ended with ${status ?? 'a signal'}`)
    const aspy = packedAspy(program)
    const said = query(aspy[0], [aspy[1], '--version']).stdout.trim()
    if (said !== version) throw new Error(`the packed command says it is ${said || 'nothing'}, not ${version}`)
    await startAndStop(aspy, join(temp, 'data'))
  } finally {
    rmSync(temp, { recursive: true, force: true, maxRetries: 5 })
  }
})

/** Returns the program of this system and processor. */
function packedProgram(): string {
  const { platform, arch } = process
  const mac = `mac${arch === 'x64' ? '' : `-${arch}`}/Aspy.app/Contents/MacOS/Aspy`
  const path = platform === 'darwin' ? mac : platform === 'win32' ? 'win-unpacked/Aspy.exe' : 'linux-unpacked/aspy'
  const program = resolve('out/packages', path)
  if (!existsSync(program)) throw new Error(`${program} is missing: run pack-app.ts first`)
  return program
}

/** Returns the command that the package brings: its Node and the script. */
function packedAspy(program: string): readonly [string, string] {
  const { platform } = process
  const folder = join(dirname(program), platform === 'darwin' ? '../Resources' : 'resources', 'command')
  return [join(folder, platform === 'win32' ? 'node.exe' : 'node'), join(folder, 'bin', 'aspy')]
}

function faultsOf(found: SelfCheck): readonly string[] {
  const config = parse(readFileSync(join(ROOT, 'electron-builder.yml'), 'utf8')) as {
    electronFuses: Readonly<Record<string, boolean>>
  }
  const fuses = FUSES.map((name) => (config.electronFuses[name] === true ? '1' : '0')).join('')
  const read = found.fuses?.slice(0, FUSES.length) ?? 'not there'
  return [
    ...(found.version === version ? [] : [`its version is ${found.version}, not ${version}`]),
    ...(found.is_archive ? [] : ['its code is not in an archive']),
    ...(read === fuses ? [] : [`its fuses are ${read}, not ${fuses}`]),
    ...found.checks.flatMap(({ name, fault }) => (fault === null ? [] : [`${name}: ${fault}`])),
  ]
}
