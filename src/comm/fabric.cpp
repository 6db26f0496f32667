#include "comm/fabric.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <vector>

namespace weft::comm {
namespace {

namespace fs = std::filesystem;

/// Returns the first line of a file; empty if it cannot be read.
std::string line_of(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Returns the entries of a folder; none if there is no folder.
std::vector<fs::path> inside(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed))
    found.push_back(entry->path());
  return found;
}

/// Describes an Ethernet interface. Virtual interfaces (bridges, tunnels) have no device. They are
/// ignored, because they change often.
std::string ethernet(const fs::path& interface) {
  std::error_code failed;
  if (!fs::exists(interface / "device", failed) || line_of(interface / "operstate") == "down")
    return {};
  const std::string speed = line_of(interface / "speed");
  const bool known = !speed.empty() && speed.front() != '-';
  return "ethernet" + (known ? " " + speed + " Mb/s" : "");
}

std::string joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

std::string network_devices(const std::string& devices) {
  std::set<std::string> found;
  for (const fs::path& interface : inside(fs::path(devices) / "net"))
    if (const std::string words = ethernet(interface); !words.empty()) found.insert(words);
  for (const fs::path& device : inside(fs::path(devices) / "infiniband"))
    for (const fs::path& port : inside(device / "ports"))
      found.insert("rdma " + line_of(port / "rate"));
  return found.empty() ? "no device known" : joined(found);
}

std::string transport_settings() {
  constexpr std::array names{
      "FI_PROVIDER",  "MPICH_CH4_NETMOD", "OMPI_MCA_btl",    "OMPI_MCA_btl_tcp_if_include",
      "OMPI_MCA_mtl", "OMPI_MCA_pml",     "UCX_NET_DEVICES", "UCX_TLS"};
  std::string text;
  for (const char* name : names) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    text += (text.empty() ? "" : " ") + std::string(name) + "=" + value;
  }
  return text;
}

}  // namespace weft::comm
