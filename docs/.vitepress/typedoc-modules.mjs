// A plugin of TypeDoc: modules have the names by which programs import them.

import { ParameterType, ReflectionKind } from 'typedoc';

export function load(app) {
  app.options.addDeclaration({ name: 'modules', help: 'file: name', type: ParameterType.Object });
  app.converter.on('resolveBegin', ({ project }) => {
    const names = new Map(Object.entries(app.options.getValue('modules')));
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
      const file = project.getSymbolIdFromReflection(module)?.fileName;
      module.name = names.get(file) ?? module.name;
      // `export =` repeats the members that are listed by name.
      for (const child of module.children ?? [])
        if (child.name === 'export=') project.removeReflection(child);
    }
  });
}
