import type { OperationOutput } from '../../shared/contract/index.ts'
import type { LoadedConfig } from './load-config.ts'
import { settings } from './settings.ts'

/** Every setting with its value, where it comes from and what it does. */
export function describeConfig({ config, origins }: LoadedConfig): OperationOutput<'config.get'> {
  return {
    items: settings.map(({ key, section, name, description }) => ({
      key,
      value: (config as Record<string, Record<string, unknown>>)[section]?.[name],
      origin: origins.get(key) ?? 'default',
      description,
      applies: 'restart' as const,
    })),
  }
}
