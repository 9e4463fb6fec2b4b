/** What is not there throws by its name, so that no spec passes on an API that the double does not know. */
export function strict<T extends object>(name: string, target: T): T {
  return new Proxy(target, {
    get(object, key) {
      const known = key in object || typeof key === 'symbol' || key === 'then' || key === 'default' || key === 'toJSON'
      if (!known) throw new Error(`electron (test double): ${name}.${String(key)} is not there`)
      const value: unknown = Reflect.get(object, key)
      return typeof value === 'function' ? (value.bind(object) as unknown) : value
    },
  })
}

/** The same for a class and all that is made of it. */
export function strictClass<T extends new (...args: never[]) => object>(name: string, target: T): T {
  return new Proxy(target, {
    construct: (made, args, newTarget) => strict(name, Reflect.construct(made, args, newTarget) as object),
    get(object, key) {
      if (!(key in object) && typeof key === 'string') {
        throw new Error(`electron (test double): ${name}.${key} is not there`)
      }
      return Reflect.get(object, key) as unknown
    },
  })
}
