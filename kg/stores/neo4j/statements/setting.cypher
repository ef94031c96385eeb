// Parameters: name
// Columns: value
MATCH (setting:_Setting {name: $name})
RETURN setting.value
