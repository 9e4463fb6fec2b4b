import { homedir } from 'node:os'
import { readPathSecret } from '../../base/path-secret.ts'
import { codexFolder } from '../../clients/codex/codex-config.ts'
import { codexBaseUrl } from '../../clients/codex/connection.ts'
import { examineCodex, type CodexFacts } from '../../clients/codex/doctor.ts'
import { examine, type Finding } from '../../clients/claude-code/doctor/checks.ts'
import { gatherFacts } from '../../clients/claude-code/doctor/gather-facts.ts'
import { statusLinesHere } from '../../clients/claude-code/status-line-setting.ts'
import { runProgram } from '../../login-service/run-program.ts'
import { pluginPlaces } from '../../clients/claude-code/setup/plugin-places.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { RunningApp } from '../../base/running-app.ts'
import { findApp } from '../wake-app.ts'
import { askKeeper } from '../../keeper/control.ts'
import { overHttp } from '../client.ts'
import { doFixes } from '../fixes.ts'
import { typedHere, withTypedHere } from '../../base/folder-of-run.ts'
import { ownCommand } from '../own-command.ts'
import { hooksPort } from '../ports-of-run.ts'
import { wrapped } from '../wrap.ts'
import type { JsonFlag } from '../flags.ts'
import type { CommonFlags, RunSettings } from '../settings-of-run.ts'
import { installedClient } from '../../clients/claude-code/find-client.ts'

interface DoctorFlags extends CommonFlags, JsonFlag {
  readonly fix?: boolean
}

/**
 * `aspy doctor`: checks the connection between Claude Code and Aspy; with `--fix`, first does what can be undone. Sets exit
 * code 1 if a check fails.
 */
export async function doctor(settings: RunSettings, flags: DoctorFlags): Promise<void> {
  const { json: asJson = false, fix = false, config } = flags
  const here = ['--data', settings.dataDir, ...(config === undefined ? [] : ['--config', config])]
  const { done, failed } = fix ? await doFixes(await findings(settings), here) : { done: [], failed: [] }
  const found = await findings(settings)
  if (asJson) {
    const items = found.map(({ check, verdict, said, mend }) => ({ check, verdict, said, mend }))
    console.log(JSON.stringify(fix ? { fixed: done, failed, items } : { items }))
  } else {
    for (const { check, did, undo } of done) {
      console.log(wrapped(`fixed    ${check.padEnd(14)} ${did}`))
      if (undo !== null) console.log(wrapped(`${' '.repeat(24)}→ to undo: ${undo}`))
    }
    for (const { check, reason } of failed) console.log(wrapped(`not done ${check.padEnd(14)} ${reason}`))
    if (fix && done.length + failed.length === 0)
      console.log(wrapped('Nothing that doctor can fix and undo; what is left needs you:'))
    for (const { check, verdict, said, mend } of found) {
      console.log(wrapped(`${verdict.padEnd(8)} ${check.padEnd(14)} ${said}`))
      if (mend !== null) console.log(wrapped(`${' '.repeat(24)}→ ${mend}`))
    }
    if (!fix && found.some((each) => each.fix !== undefined))
      console.log(wrapped(`\n${typedHere('aspy doctor --fix', settings.dataDir)} does what can be undone of this.`))
  }
  if (found.some(({ verdict }) => verdict === 'failure')) process.exitCode = 1
}

async function findings(settings: RunSettings): Promise<readonly Finding[]> {
  const { dataDir, loaded, fault } = settings
  const mend = 'correct the file: a running app keeps the settings it has, and the checks below use the defaults'
  const config: readonly Finding[] =
    fault === undefined ? [] : [{ check: 'config', verdict: 'failure', said: fault, mend }]
  const { running, impostor } = await lookForApp(dataDir)
  const facts = await gatherFacts({
    env: process.env,
    home: homedir(),
    cwd: process.cwd(),
    platform: process.platform,
    dataDir,
    config: loaded.config,
    origins: loaded.origins,
    running: running === null ? null : { ...running, ...(await warningsOf(running, dataDir)) },
    impostor,
    keeperPorts: Object.values((await askKeeper(dataDir, 'status'))?.ports ?? {}),
    places: pluginPlaces({
      dataDir,
      aspy: ownCommand(),
      appPort: await hooksPort(settings, running),
      watchesFiles: loaded.config.files.watch_changes,
    }),
    run: runProgram,
  })
  const codex = examineCodex(await codexFacts(settings, running))
  const lines = facts.plugins.length > 0 ? [] : statusLinesHere(homedir())
  const leftover = lines.map((file): Finding => ({
    check: 'status line',
    verdict: 'note',
    said: `${file} runs aspy statusline, although the plugin is not installed`,
    mend: 'if you no longer use Aspy, take statusLine out of that file',
  }))
  return [...config, ...examine(facts), ...leftover, ...codex].map((each) => ({
    ...each,
    mend: each.mend === null ? null : withTypedHere(each.mend, dataDir),
  }))
}

async function codexFacts({ dataDir, loaded }: RunSettings, running: RunningApp | null): Promise<CodexFacts> {
  const proxyUrl = running?.proxyUrl ?? `http://127.0.0.1:${loaded.config.proxy.port}`
  return {
    folder: codexFolder(process.env, homedir()),
    client: await installedClient('codex', { env: process.env, home: homedir(), run: runProgram }),
    // Doctor changes nothing: it creates no secret.
    baseUrl: readPathSecret(dataDir) === null ? null : codexBaseUrl(dataDir, proxyUrl),
  }
}

/** Returns the running app, or why the program on its port is not trusted. */
async function lookForApp(dataDir: string): Promise<{ running: RunningApp | null; impostor: string | null }> {
  try {
    return { running: await findApp(dataDir), impostor: null }
  } catch (error) {
    if (error instanceof AspyError && error.code === 'conflict') return { running: null, impostor: error.message }
    throw error
  }
}

async function warningsOf(app: Parameters<typeof overHttp>[0], dataDir: string) {
  const { warnings } = await overHttp(app, dataDir).call('health.get', {})
  return { warnings: warnings.map(({ message, fix }) => ({ message, fix: fix.text })) }
}
