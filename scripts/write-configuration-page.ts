/** Writes docs/configuration.md from the settings (`npm run write:configuration`). A test fails when it is stale. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { appliesNow } from '../src/main/config/applies.ts'
import { settings, type Setting } from '../src/main/config/settings.ts'

const HEAD = `# Configuration

Settings are in \`config.toml\` in the data folder. Nothing needs to be set: every key has a default. A flag of a command
comes before an environment variable, and that before the file. \`aspy config\` shows what is in force and where it comes
from; \`aspy config set KEY VALUE\` writes a key and keeps your comments; the window has all of them under Settings.

A running app follows the file. Keys marked *now* take effect as soon as they are written; the others after \`aspy
restart\`, which cuts no answer. A file with a mistake changes nothing: Health and \`aspy doctor\` name the line.

\`\`\`toml
[guard]
day_usd = 20

[lifestats]
retention_days = 90
\`\`\`
`

/** Returns the text of docs/configuration.md. */
export function configurationPage(): string {
  const bySection = Map.groupBy(settings, ({ section }) => section)
  return [HEAD, ...[...bySection].map(([section, keys]) => sectionOf(section, keys))].join('\n')
}

function sectionOf(section: string, keys: readonly Setting[]): string {
  const rows = keys.map((setting) => {
    const cells = [
      `\`${setting.name}\``,
      `\`${JSON.stringify(setting.schema.parse(undefined)).replaceAll('|', '\\|')}\``,
      `${setting.description}${fieldsOf(z.toJSONSchema(setting.schema, { io: 'input' }))}`,
      appliesNow(setting.key) ? 'now' : 'restart',
    ]
    return `| ${cells.join(' | ')} | \`${setting.variable}\` |`
  })
  const head = ['| key | default | what it does | takes effect | variable |', '|---|---|---|---|---|']
  return `## [${section}]\n\n${[...head, ...rows].join('\n')}\n`
}

/** Names the fields of a setting that is a table or a list of tables. */
function fieldsOf({ items, properties, propertyNames }: z.core.JSONSchema.BaseSchema): string {
  const isList = typeof items === 'object' && 'properties' in items
  const fields = Object.keys((isList ? items.properties : properties) ?? {}).join(', ')
  if (fields !== '') return ` ${isList ? 'A list of' : 'A table'} \`{ ${fields} }\`.`
  return propertyNames === undefined ? '' : ' A table `{ name = value }`.'
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '../docs/configuration.md'), configurationPage())
