import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Config } from '../../shared/config.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { appliesNow } from './applies.ts'
import type { LoadedConfig } from './load-config.ts'
import { settings, type Setting } from './settings.ts'

/** Describes every setting: value, source and purpose. `inForce`: the configuration of the running app. */
export function describeConfig(loaded: LoadedConfig, inForce: Config = loaded.config): OperationOutput<'config.get'> {
  return { items: settings.map((setting) => describeSetting(setting, loaded, inForce)) }
}

/** Describes one setting. */
export function describeSetting(
  { key, section, name, description, schema, variable }: Setting,
  { config, origins }: LoadedConfig,
  inForce: Config,
): OperationOutput<'config.get'>['items'][number] {
  const value = valueOf(inForce, section, name)
  const next = valueOf(config, section, name)
  const { $schema: _, description: __, default: preset, ...form } = z.toJSONSchema(schema, { io: 'input' })
  return {
    key,
    value,
    ...(isDeepStrictEqual(value, next) ? {} : { next }),
    default: preset,
    origin: origins.get(key) ?? 'default',
    variable,
    description,
    applies: appliesNow(key) ? 'now' : 'restart',
    form,
  }
}

function valueOf(config: Config, section: string, name: string): unknown {
  return (config as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[section]?.[name]
}
