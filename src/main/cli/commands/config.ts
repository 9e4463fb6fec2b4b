import { existsSync } from 'node:fs'
import { describeConfig } from '../../config/describe-config.ts'
import { projectSetting } from '../../config/project-setting.ts'
import { settingOf } from '../../config/settings.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { withTypedHere } from '../../base/folder-of-run.ts'
import { findApp } from '../wake-app.ts'
import { overHttp } from '../client.ts'
import type { JsonFlag } from '../flags.ts'
import { print } from '../print-all.ts'
import { putSetting } from '../put-setting.ts'
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
  const app = await findApp(dataDir)
  return app === null ? describeConfig(loaded) : overHttp(app, dataDir).call('config.get', {})
}

/** `aspy config set`: writes a setting to the config file, through the running app if there is one. */
export async function setSetting(settings: RunSettings, key: string, text: string, { json }: JsonFlag): Promise<void> {
  const own = await projectSetting(key, Number(text), (setting) => projectsOf(settings, setting))
  if (own !== null && !/^\d+(\.\d+)?$/.test(text)) throw new AspyError('bad_input', `${key}: "${text}" is not a number`)
  const value = own?.value ?? settingOf(key).fromText(text)
  const isNumber = typeof settingOf(own?.key ?? key).schema.safeParse(undefined).data === 'number'
  if (isNumber && /^(none|off|never|null|unlimited|default)$/i.test(text))
    throw new AspyError('bad_input', `${key} cannot be "${text}": give a number, or run aspy config unset ${key}`)
  if (PROJECTS.has(key) && !isTables(value)) throw new AspyError('bad_input', howToSetProject(key, text))
  const named = PROJECTS.has(own?.key ?? key) ? (own?.value.slice(-1) ?? value) : []
  await write(settings, own?.key ?? key, value, json, missingFolders(named))
}

/** Says which folders are not there: a mistyped one would have no cap. */
function missingFolders(projects: unknown): string | undefined {
  const missing = (projects as readonly { readonly project?: unknown }[]).flatMap(({ project }) =>
    typeof project === 'string' && !existsSync(project) ? [project] : [],
  )
  if (missing.length === 0) return undefined
  return `there is no folder ${missing.join(', ')}: the setting applies only to sessions in such a folder; unset it if the name is mistyped`
}

/** Lists of projects, each with a value that one of them may have. */
const PROJECTS: ReadonlyMap<string, string> = new Map([
  ['guard.projects', 'day_usd'],
  ['budgets.projects', 'monthly_usd'],
])

const isTables = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null)

function howToSetProject(key: string, text: string): string {
  const set = withTypedHere('aspy config set')
  const one = `${set} ${key}./path/of/project.${PROJECTS.get(key)} 20`
  const all = `${set} ${key} '[{ project = "/path/of/project", ${PROJECTS.get(key)} = 20 }]'`
  return `${key} cannot be ${JSON.stringify(text)}; for one project: ${one}; for all at once: ${all}`
}

/** Returns the projects of a setting, as they apply after a restart. */
async function projectsOf(settings: RunSettings, key: string): Promise<readonly { readonly project: string }[]> {
  const { items } = await inForce(settings)
  const found = items.find((item) => item.key === key)
  return (found?.next ?? found?.value) as readonly { readonly project: string }[]
}

/** `aspy config unset`: takes a setting out of the config file, so that its default applies. */
export async function unsetSetting(settings: RunSettings, key: string, { json }: JsonFlag): Promise<void> {
  const own = await projectSetting(key, null, (setting) => projectsOf(settings, setting))
  if (own === null) await requireSetting(settings, key)
  await write(settings, own?.key ?? key, own?.value ?? null, json)
}

/** Throws `bad_input` for a section, with its settings that have a value of their own, and for an unknown setting. */
async function requireSetting(settings: RunSettings, key: string): Promise<void> {
  const own = (await inForce(settings)).items.filter((item) => item.key.startsWith(`${key}.`))
  if (own.length === 0) return void settingOf(key)
  const set = own.flatMap((item) => (item.origin === 'default' ? [] : [item.key]))
  const now = set.length === 0 ? 'none of its settings is set' : `unset one by one what is set now: ${set.join(', ')}`
  throw new AspyError('bad_input', `${key} is a section, which cannot be unset as a whole; ${now}`)
}

/** Settings that are part of the plugin. */
const OF_PLUGIN: ReadonlySet<string> = new Set(['files.watch_changes'])

async function write(settings: RunSettings, key: string, value: unknown, json: boolean | undefined, aside?: string) {
  const { set, isRunning } = await putSetting(settings, key, value)
  const when = set.next === undefined ? 'it applies now' : 'it applies after aspy restart'
  const applies = OF_PLUGIN.has(key) ? 'to apply it, run aspy setup again' : isRunning ? when : ''
  const written = `${JSON.stringify(set.next ?? set.value)}${value === null ? ' (the default)' : ''}`
  const text = `${key} = ${written}${applies === '' ? '' : `; ${withTypedHere(applies)}`}`
  print({ json: set, text, ...(aside === undefined ? {} : { aside }) }, json)
}
