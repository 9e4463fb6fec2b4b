import { askKeeper } from '../../../src/main/keeper/control.ts'
import { until } from '../runner/until.ts'

/** Resolves once an app serves, if a keeper runs: soon after a kill, requests pass by, and the next kill cuts none of them. */
export async function appServes(dataDir: string): Promise<void> {
  await until('the app serves', async () => ((await askKeeper(dataDir, 'status'))?.state ?? 'running') === 'running')
}

/** Kills the app of a keeper, as a system does that is short of memory. */
export async function killApp(dataDir: string): Promise<void> {
  const pid = (await askKeeper(dataDir, 'status'))?.appPid
  if (typeof pid !== 'number') throw new Error(`no app serves ${dataDir}`)
  process.kill(pid, 'SIGKILL')
  await until('its keeper knows', async () => (await askKeeper(dataDir, 'status'))?.appPid !== pid)
}
