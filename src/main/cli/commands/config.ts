import { describeConfig } from '../../config/describe-config.ts'
import { createSettingsInForce, NO_FOLLOWERS } from '../../config/settings-in-force.ts'
import { settingOf } from '../../config/settings.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { findRunningApp } from '../../base/running-app.ts'
import { overHttp } from '../client.ts'
import type { JsonFlag } from '../flags.ts'
import { print } from '../print-all.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { table } from '../table.ts'

type Described = OperationOutput<'config.get'>

/** `aspy config`: lists all settings of the running app, or of the file, with their sources. */
export async function listSettings(settings: RunSettings, { json }: JsonFlag): Promise<void> {
  printSettings(await inForce(settings), json)
}

function printSettings(described: Described, json: boolean | undefined): void {
  const text = table(described.items, {
    columns: {
      key: { name: 'Setting' },
      value: { name: 'Value', of: ({ value }) => JSON.stringify(value) },
      next: { name: 'After a restart', of: ({ next }) => (next === undefined ? '' : JSON.stringify(next)) },
      origin: { name: 'Source' },
      description: { name: 'Description', max: 200 },
    },
  })
  print({ json: described, text }, json)
}

/** `aspy config get`: prints the value of a setting, or those of a section, as the running app, or the file, has them. */
export async function showSetting(settings: RunSettings, key: string, { json }: JsonFlag): Promise<void> {
  const described = await inForce(settings)
  const items = described.items.filter((item) => item.key.startsWith(`${key}.`))
  if (items.length > 0) return printSettings({ ...described, items }, json)
  const known = settingOf(key).key
  const found = described.items.find((item) => item.key === known)
  print({ json: found, text: JSON.stringify(found?.value) }, json)
}

async function inForce({ dataDir, loaded }: RunSettings): Promise<Described> {
  const app = await findRunningApp(dataDir)
  return app === null ? describeConfig(loaded) : overHttp(app, dataDir).call('config.get', {})
}

/** `aspy config set`: writes a setting to the config file, through the running app if there is one. */
export async function setSetting(
  { dataDir, loaded }: RunSettings,
  key: string,
  text: string,
  { json }: JsonFlag,
): Promise<void> {
  const value = settingOf(key).fromText(text)
  const app = await findRunningApp(dataDir)
  const set =
    app === null
      ? await createSettingsInForce(loaded, NO_FOLLOWERS).set(key, value)
      : await overHttp(app, dataDir).call('config.set', { key, value })
  const when = app !== null && set.next !== undefined ? 'applies after aspy restart' : 'applies now'
  const written = JSON.stringify(set.next ?? set.value)
  print({ json: set, text: `${key} = ${written}${app === null ? '' : `; it ${when}`}` }, json)
}
