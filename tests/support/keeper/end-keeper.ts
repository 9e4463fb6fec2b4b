import { isProcessAlive } from '../../../src/main/base/is-process-alive.ts'
import { askKeeper } from '../../../src/main/keeper/control.ts'
import { until } from '../runner/until.ts'

/** Ends what `aspy run` has started in the background: the keeper, and with it its app. */
export async function endKeeper(dataDir: string): Promise<void> {
  const pid = (await askKeeper(dataDir, 'status'))?.pid
  if (pid === undefined) throw new Error(`no keeper serves ${dataDir}`)
  process.kill(pid, 'SIGTERM')
  await until('the keeper has ended', () => Promise.resolve(!isProcessAlive(pid)))
}
