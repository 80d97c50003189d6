// A plugin of TypeDoc: modules are named as a program imports them, not after their files.

import { ParameterType, ReflectionKind } from 'typedoc';

export function load(app) {
  app.options.addDeclaration({ name: 'modules', help: 'file: name', type: ParameterType.Object });
  app.converter.on('resolveBegin', ({ project }) => {
    const names = new Map(Object.entries(app.options.getValue('modules')));
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
      const file = project.getSymbolIdFromReflection(module)?.fileName;
      module.name = names.get(file) ?? module.name;
    }
  });
}
