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
      key: { name: 'Setting', isWhole: true },
      value: { name: 'Value', of: ({ value }) => JSON.stringify(value) },
      next: {
        name: 'After a restart',
        of: ({ next }) => (next === undefined ? '' : JSON.stringify(next)),
        only: 'filled',
      },
      origin: { name: 'Source', from: 1000 },
      description: { name: 'Description', max: 200, from: 1200 },
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
  const text = JSON.stringify(found?.value)
  const next =
    found?.next === undefined ? {} : { aside: `${text} now, ${JSON.stringify(found.next)} after aspy restart` }
  print({ json: found, text, ...next }, json)
}

async function inForce({ dataDir, loaded }: RunSettings): Promise<Described> {
  const app = await findRunningApp(dataDir)
  return app === null ? describeConfig(loaded) : overHttp(app, dataDir).call('config.get', {})
}

/** `aspy config set`: writes a setting to the config file, through the running app if there is one. */
export async function setSetting(settings: RunSettings, key: string, text: string, { json }: JsonFlag): Promise<void> {
  await write(settings, key, settingOf(key).fromText(text), json)
}

/** `aspy config unset`: takes a setting out of the config file, so that its default applies. */
export async function unsetSetting(settings: RunSettings, key: string, { json }: JsonFlag): Promise<void> {
  settingOf(key)
  await write(settings, key, null, json)
}

/** Settings that are part of the plugin. */
const OF_PLUGIN: ReadonlySet<string> = new Set(['files.watch_changes'])

async function write(
  { dataDir, loaded }: RunSettings,
  key: string,
  value: unknown,
  json: boolean | undefined,
): Promise<void> {
  const app = await findRunningApp(dataDir)
  const set =
    app === null
      ? await createSettingsInForce(loaded, NO_FOLLOWERS).set(key, value)
      : await overHttp(app, dataDir).call('config.set', { key, value })
  const when = set.next === undefined ? 'it applies now' : 'it applies after aspy restart'
  const applies = OF_PLUGIN.has(key) ? 'to apply it, run aspy setup again' : app === null ? '' : when
  const written = `${JSON.stringify(set.next ?? set.value)}${value === null ? ' (the default)' : ''}`
  print({ json: set, text: `${key} = ${written}${applies === '' ? '' : `; ${applies}`}` }, json)
}
