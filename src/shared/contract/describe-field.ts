import { z } from 'zod'

/** The accepted values of an input field, and its description. */
export interface FieldDescription {
  readonly kind: 'switch' | 'choice' | 'number' | 'text'
  /** The values of a choice. */
  readonly choices: readonly string[]
  /** True if it takes several values, separated by commas. */
  readonly isList: boolean
  /** Its name for people: a field with a title is a filter in the window. */
  readonly title?: string | undefined
  /** A field with a description is an option of the command line, with the description as its help. */
  readonly description?: string | undefined
  /** Its value if it is left out. */
  readonly preset?: unknown
}

/** Describes a field, through the schemas that make it optional or convert it. */
export function describeField(schema: z.core.$ZodType): FieldDescription {
  const said = z.globalRegistry.get(schema)
  const inner = innerOf(schema)
  const found = inner === undefined ? { ...takenBy(schema), isList: false } : describeField(inner)
  return {
    ...found,
    isList: found.isList || schema instanceof z.ZodArray,
    title: said?.title ?? found.title,
    description: said?.description ?? found.description,
    preset: schema instanceof z.ZodDefault ? schema.def.defaultValue : found.preset,
  }
}

function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return schema.unwrap()
  if (schema instanceof z.ZodPipe) return schema.out instanceof z.ZodTransform ? schema.in : schema.out
  return schema instanceof z.ZodArray ? schema.element : undefined
}

function takenBy(schema: z.core.$ZodType): Pick<FieldDescription, 'kind' | 'choices'> {
  if (schema instanceof z.ZodEnum) return { kind: 'choice', choices: schema.options.map(String) }
  if (schema instanceof z.ZodNumber) return { kind: 'number', choices: [] }
  const isSwitch =
    schema instanceof z.ZodBoolean || (schema instanceof z.ZodUnion && schema.options[0] instanceof z.ZodBoolean)
  return { kind: isSwitch ? 'switch' : 'text', choices: [] }
}
