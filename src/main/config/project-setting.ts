import { basename, resolve } from 'node:path'
import { z } from 'zod'
import { AspyError } from '../../shared/contract/errors.ts'
import { nearestName } from '../../shared/nearest-name.ts'
import { settingOf } from './settings.ts'

/** A value of one project, such as `guard.projects.shop.day_usd`. */
const OF_PROJECT = /^(\w+\.projects)\.(.+)\.(\w+)$/

type Own = { readonly [name: string]: unknown; readonly project: string }

/**
 * Returns the list of projects with one value of a project changed, and its setting; null if the key names no project. A project
 * is a path, or the folder name of one in the list. Null removes the value, and with its last value the project.
 */
export function projectSetting(
  key: string,
  value: number | null,
  listed: (setting: string) => Promise<readonly Own[]>,
): Promise<{ readonly key: string; readonly value: readonly Own[] }> | null {
  const [, setting, named, name] = OF_PROJECT.exec(key) ?? []
  if (setting === undefined || named === undefined || name === undefined) return null
  const { items } = z.toJSONSchema(settingOf(setting).schema, { io: 'input' })
  const names = Object.keys((items as z.core.JSONSchema.ObjectSchema).properties ?? {}).filter(
    (one) => one !== 'project',
  )
  if (!names.includes(name)) {
    const nearest = nearestName(name, names)
    const advice = nearest === null ? `there is ${names.join(', ')}` : `did you mean ${nearest}?`
    throw new AspyError('bad_input', `${setting}.${named} has no ${name}; ${advice}`)
  }
  return (async () => {
    const all = await listed(setting)
    const known = all.filter(({ project }) => project === named || basename(project) === named)
    const isPath = /^[./~]|^[a-z]:/i.test(named)
    if (known.length !== 1 && !isPath) {
      const why = known.length === 0 ? 'no project of the list has this name' : 'several projects have this name'
      throw new AspyError('bad_input', `${key}: ${why}; give its path, as in ${setting}.${resolve(named)}.${name}`)
    }
    const project = isPath ? resolve(named) : (known[0]?.project ?? named)
    const { [name]: _, ...rest } = all.find((one) => one.project === project) ?? { project }
    const own: Own = { ...rest, project, ...(value === null ? {} : { [name]: value }) }
    const others = all.filter((one) => one.project !== project)
    return { key: setting, value: Object.keys(own).length === 1 ? others : [...others, own] }
  })()
}
